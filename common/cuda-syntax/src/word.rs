//! Words of a program: identifiers with what is asked of them again and again, found out once.
//!
//! Each stage looks words up in its own tables ([`Table`]), several times for each place in the text and once more for each
//! instance of a template. So a word brings its hash along, and all places where a file has the same word share it. The hash is keyed:
//! who writes a file must not choose what shares a bucket.

use crate::parse::is_keyword;
use hashbrown::HashTable;
use source::hash::Keyed;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// Operators that are spelled as words.
const OPERATORS: &[(&str, &str)] = &[
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("bitand", "&"),
    ("bitor", "|"),
    ("xor", "^"),
    ("compl", "~"),
    ("and_eq", "&="),
    ("or_eq", "|="),
    ("xor_eq", "^="),
    ("not_eq", "!="),
];
/// Other words of which the preprocessor makes something else.
const SPECIAL: &[&str] = &["_Pragma", "__LINE__", "__FILE__", "__COUNTER__"];

/// An identifier, an operator function's name, or another spelling.
#[derive(Clone)]
pub struct Word(Arc<Data>);

struct Data {
    hash: u64,
    is_keyword: bool,
    is_special: bool,
    operator: Option<&'static str>,
    marks: u8,
    text: Box<str>,
}

impl Word {
    /// With what the preprocessor notes of it.
    pub(crate) fn marked(text: &str, marks: u8) -> Word {
        let operator = OPERATORS.iter().find(|(name, _)| *name == text).map(|(_, operator)| *operator);
        Word(Arc::new(Data {
            hash: text.hashed(),
            is_keyword: is_keyword(text),
            is_special: operator.is_some() || SPECIAL.contains(&text),
            operator,
            marks,
            text: text.into(),
        }))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        self
    }

    /// Whether it can never be a name.
    pub fn is_keyword(&self) -> bool {
        self.0.is_keyword
    }

    /// Whether the preprocessor makes something else of it, be it a macro's name or not.
    pub(crate) fn is_special(&self) -> bool {
        self.0.is_special
    }

    /// The operator that it spells: `&&` for `and`.
    pub(crate) fn operator(&self) -> Option<&'static str> {
        self.0.operator
    }

    /// What the preprocessor has noted of it.
    pub(crate) fn marks(&self) -> u8 {
        self.0.marks
    }
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Word) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.hash == other.0.hash && self.0.text == other.0.text)
    }
}

impl Eq for Word {}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Word) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Word) -> std::cmp::Ordering {
        self.0.text.cmp(&other.0.text)
    }
}

impl Hash for Word {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Default for Word {
    fn default() -> Word {
        static EMPTY: LazyLock<Word> = LazyLock::new(|| "".into());
        EMPTY.clone()
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Word {
        Word::marked(text, 0)
    }
}

impl From<String> for Word {
    fn from(text: String) -> Word {
        Word::marked(&text, 0)
    }
}

impl PartialEq<str> for Word {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Word {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<String> for Word {
    fn eq(&self, other: &String) -> bool {
        **self == **other
    }
}

impl PartialEq<Word> for String {
    fn eq(&self, other: &Word) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

/// What a [`Table`] can be asked with.
pub trait Key {
    /// The hash of its text.
    fn hashed(&self) -> u64;

    /// Whether it is that word.
    fn is(&self, word: &Word) -> bool;

    /// As a word of its own.
    fn to_word(&self) -> Word;
}

impl Key for Word {
    fn hashed(&self) -> u64 {
        self.0.hash
    }

    fn is(&self, word: &Word) -> bool {
        self == word
    }

    fn to_word(&self) -> Word {
        self.clone()
    }
}

impl Key for str {
    fn hashed(&self) -> u64 {
        let mut mixer = Keyed::default();
        mixer.write(self.as_bytes());
        mixer.finish()
    }

    fn is(&self, word: &Word) -> bool {
        *self == **word
    }

    fn to_word(&self) -> Word {
        if self.is_empty() { Word::default() } else { self.into() }
    }
}

impl Key for String {
    fn hashed(&self) -> u64 {
        self.as_str().hashed()
    }

    fn is(&self, word: &Word) -> bool {
        self.as_str().is(word)
    }

    fn to_word(&self) -> Word {
        self.as_str().into()
    }
}

/// A map from words.
#[derive(Clone, Debug)]
pub struct Table<T> {
    /// With each word's hash.
    entries: Vec<(u64, Word, T)>,
    /// Places in `entries`, if there are more than [`FEW`].
    places: HashTable<usize>,
    /// A bit for each word that is or was in it, by its hash: most words that a scope is asked for are not its own.
    bits: u64,
}

/// The bit that a hash has in [`Table::bits`].
fn bit(hash: u64) -> u64 {
    1 << (hash >> 58)
}

/// So many entries are looked through one by one: most tables are those of small scopes, and many are empty.
const FEW: usize = 8;

/// From here on they are found by their hashes.
const MANY: usize = FEW + 1;

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { entries: Vec::new(), places: HashTable::new(), bits: 0 }
    }
}

impl<T> Table<T> {
    #[inline]
    fn place<K: Key + ?Sized>(&self, hash: u64, key: &K) -> Option<usize> {
        if self.may_have(hash) { self.find(hash, key) } else { None }
    }

    fn find<K: Key + ?Sized>(&self, hash: u64, key: &K) -> Option<usize> {
        if self.entries.len() <= FEW {
            return self.entries.iter().position(|(h, word, _)| *h == hash && key.is(word));
        }
        self.places.find(hash, |at| key.is(&self.entries[*at].1)).copied()
    }

    /// Whether a word of that hash may be in it; false is certain.
    #[inline]
    pub fn may_have(&self, hash: u64) -> bool {
        self.bits & bit(hash) != 0
    }

    /// What a word stands for.
    pub fn get<K: Key + ?Sized>(&self, key: &K) -> Option<&T> {
        self.get_hashed(key.hashed(), key)
    }

    /// As [`Table::get`], for who asks several tables: with the key's hash.
    #[inline]
    pub fn get_hashed<K: Key + ?Sized>(&self, hash: u64, key: &K) -> Option<&T> {
        self.place(hash, key).map(|at| &self.entries[at].2)
    }

    /// What a word stands for, to change it.
    pub fn get_mut<K: Key + ?Sized>(&mut self, key: &K) -> Option<&mut T> {
        self.place(key.hashed(), key).map(|at| &mut self.entries[at].2)
    }

    /// Whether the word is in it.
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.place(key.hashed(), key).is_some()
    }

    /// Adds a word, or replaces what it stands for.
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K, value: T) {
        let hash = key.hashed();
        if let Some(at) = self.place(hash, key) {
            self.entries[at].2 = value;
            return;
        }
        self.entries.push((hash, key.to_word(), value));
        self.bits |= bit(hash);
        let Table { entries, places, .. } = self;
        let unplaced = match entries.len() {
            ..=FEW => entries.len(),
            MANY => 0,
            many => many - 1,
        };
        for at in unplaced..entries.len() {
            places.insert_unique(entries[at].0, at, |at| entries[*at].0);
        }
    }

    /// Takes a word out; gives what it stood for.
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Option<T> {
        let at = self.place(key.hashed(), key)?;
        let last = self.entries.len() - 1;
        if last <= FEW {
            self.places.clear();
        } else {
            let moved = self.entries[last].0;
            if let Ok(gone) = self.places.find_entry(self.entries[at].0, |place| *place == at) {
                gone.remove();
            }
            if let Some(place) = self.places.find_mut(moved, |place| *place == last) {
                *place = at;
            }
        }
        Some(self.entries.swap_remove(at).2)
    }

    /// Whether no word is in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Takes all words out.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.places.clear();
        self.bits = 0;
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Word, &T)> {
        self.entries.iter().map(|(_, word, value)| (word, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_equal_by_their_text() {
        let (one, other) = (Word::from("tile"), Word::marked("tile", 3));
        assert_eq!(one, other);
        assert_ne!(one, Word::from("tiles"));
        assert!(Word::from("float").is_keyword());
        assert!(!one.is_keyword());
    }

    #[test]
    fn operators_may_be_words() {
        let of = |text: &str| Word::from(text).operator();
        assert_eq!(
            [of("and"), of("not_eq"), of("__LINE__"), of("tile")],
            [Some("&&"), Some("!="), None, None]
        );
        let special = ["and", "__LINE__", "tile"].map(|text| Word::from(text).is_special());
        assert_eq!(special, [true, true, false]);
    }

    #[test]
    fn tables_find_words_by_word_and_by_text() {
        let mut table = Table::default();
        for n in 0..100 {
            table.insert(format!("n{n}").as_str(), n);
        }
        table.insert(&Word::from("n7"), 700);
        assert_eq!(table.get("n7"), Some(&700));
        assert_eq!(table.get(&Word::from("n8")), Some(&8));
        for gone in 8..96 {
            assert_eq!(table.remove(format!("n{gone}").as_str()), Some(gone));
            let there = table.iter().all(|(word, n)| table.get(word) == Some(n));
            assert!(there, "what is left is found without n{gone}");
        }
        assert!(!table.contains("n8"));
        assert!(table.iter().all(|(word, _)| table.may_have(word.hashed())));
        let mut small = Table::default();
        (0..6).for_each(|n| small.insert(format!("n{n}").as_str(), n));
        // Six of 64 bits; the hash is another one in each process.
        let others = (200..300).filter(|n| small.may_have(format!("n{n}").as_str().hashed()));
        assert!(others.count() < 60, "most words that it does not have are told by a bit");
        assert_eq!(table.iter().count(), 12);
        (96..120).for_each(|n| table.insert(format!("n{n}").as_str(), n));
        assert_eq!(table.get("n119"), Some(&119));
        assert_eq!(table.iter().count(), 32);
    }
}
