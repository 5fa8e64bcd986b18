//! The macro that makes [`InstKind`](crate::InstKind) and what treats all instructions alike from the table in `inst.rs`.

macro_rules! instructions {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $type:ty),* $(,)? })?
            = $properties:expr, $text:literal $(, $part:ident = $value:expr)*;
    )*) => {
        /// What an instruction does. Operand types are as said; the validator checks them.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)] // Each variant's page says what its fields are.
        pub enum InstKind {
            $($(#[$doc])* $name $({ $($field: $type),* })?,)*
        }

        impl InstKind {
            /// What it may do besides computing its results.
            #[allow(unused_variables)]
            pub(crate) fn properties(&self) -> $crate::properties::Properties {
                match self {
                    $(InstKind::$name $({ $($field),* })? => $properties,)*
                }
            }

            /// Calls `f` with what the fields contain, in their order.
            #[inline]
            pub(crate) fn parts(&self, f: &mut impl FnMut($crate::visit::Part<'_>)) {
                match self {
                    $(InstKind::$name $({ $($field),* })? => { $($($crate::visit::Field::parts($field, f);)*)? })*
                }
            }

            /// As [`InstKind::parts`], to be changed.
            #[inline]
            pub(crate) fn parts_mut(&mut self, f: &mut impl FnMut($crate::visit::PartMut<'_>)) {
                match self {
                    $(InstKind::$name $({ $($field),* })? => {
                        $($($crate::visit::FieldMut::parts_mut($field, f);)*)?
                    })*
                }
            }

            /// The textual form without the registers written.
            #[allow(unused_variables)]
            pub(crate) fn operation_text(&self, kernel: &dyn $crate::text::KernelNames, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                use $crate::text::Shown;
                match self {
                    $(InstKind::$name $({ $($field),* })? => {
                        $($(let $field = Shown { kernel, value: $field };)*)?
                        write!(f, $text $(, $part = $value)*)
                    })*
                }
            }
        }
    };
}
