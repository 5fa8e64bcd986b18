//! NVRTC: its functions, looked up in the library.

use crate::headers::{HEADERS, STD};
use crate::{Answer, Request, messages, places};
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::ptr;

type Program = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type AddName = unsafe extern "C" fn(Program, *const c_char) -> c_int;
type Lowered = unsafe extern "C" fn(Program, *const c_char, *mut *const c_char) -> c_int;

/// The compiler as a library.
pub struct Nvrtc {
    /// Never unloaded: threads that compiled with it run code of it when they end, which may be later.
    handle: ManuallyDrop<Library>,
    path: PathBuf,
    version: (i32, i32),
    include_dirs: Vec<PathBuf>,
}

impl Nvrtc {
    /// The first one found; see [`Nvrtc::open`] for a certain one.
    pub fn find() -> Option<Nvrtc> {
        places::libraries().iter().find_map(|path| Nvrtc::open(path))
    }

    /// The library of that path; `None` if it is not NVRTC.
    pub fn open(path: &Path) -> Option<Nvrtc> {
        // SAFETY: NVRTC's initialisers have no preconditions; a file by this name that is not NVRTC is the user's own
        // choice of library path.
        let handle = ManuallyDrop::new(unsafe { Library::new(path) }.ok()?);
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the signature is that of nvrtc.h; both pointers are to live integers.
        let code = unsafe {
            let version: Symbol<'_, Version> = handle.get(b"nvrtcVersion\0").ok()?;
            version(&mut major, &mut minor)
        };
        load_beside(path, &format!("libnvrtc-builtins.so.{major}.{minor}"));
        let include_dirs = places::headers_beside(path);
        (code == 0).then(|| Nvrtc { handle, path: path.to_owned(), version: (major, minor), include_dirs })
    }

    /// Major and minor version.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// Name, version and place.
    pub fn describe(&self) -> String {
        format!("NVRTC {}.{} ({})", self.version.0, self.version.1, self.path.display())
    }

    fn function<T>(&self, name: &str) -> Result<Symbol<'_, T>, String> {
        let c_name = c(name)?;
        // SAFETY: each caller names the type that nvrtc.h gives the function of this name.
        unsafe { self.handle.get(c_name.as_bytes_with_nul()) }
            .map_err(|_| format!("{} has no function `{name}`", self.describe()))
    }

    /// Compiles to a cubin, as C++20 (before CUDA 12, C++17) unless the options say otherwise. Where nothing is wrong with the program but that it lacks
    /// some of the names asked for, it is compiled again without these.
    ///
    /// # Errors
    /// A text with a zero byte, or a library that does not do what nvrtc.h says.
    pub fn compile(&self, request: &Request) -> Result<Answer, String> {
        let answer = self.compile_once(request, &request.names)?;
        let unknown = if answer.accepted { Vec::new() } else { unknown_names(&answer.log, &request.names) };
        if unknown.is_empty() {
            return Ok(answer);
        }
        let known: Vec<String> = request.names.iter().filter(|n| !unknown.contains(n)).cloned().collect();
        let mut answer = self.compile_once(request, &known)?;
        if answer.accepted {
            let mut of_known = std::mem::take(&mut answer.lowered).into_iter();
            let lowered = request.names.iter().map(|n| match unknown.contains(&n) {
                true => String::new(),
                false => of_known.next().unwrap_or_default(),
            });
            answer.lowered = lowered.collect();
        }
        Ok(answer)
    }

    fn compile_once(&self, request: &Request, names: &[String]) -> Result<Answer, String> {
        let (name, text) = (c(&request.name)?, c(&request.text)?);
        let each = |list: Vec<String>| list.iter().map(|s| c(s)).collect::<Result<Vec<CString>, String>>();
        let header_names = each(HEADERS.iter().map(|(n, _)| (*n).to_owned()).collect())?;
        let header_texts = each(HEADERS.iter().map(|(_, t)| format!("#pragma once\n{t}")).collect())?;
        let options = each(self.options(request))?;
        let names = each(names.to_vec())?;
        let pointers = |list: &[CString]| list.iter().map(|s| s.as_ptr()).collect::<Vec<_>>();
        let (header_names, header_texts) = (pointers(&header_names), pointers(&header_texts));
        let options = pointers(&options);
        let create: Symbol<'_, Create> = self.function("nvrtcCreateProgram")?;
        let compile: Symbol<'_, Compile> = self.function("nvrtcCompileProgram")?;
        let destroy: Symbol<'_, Destroy> = self.function("nvrtcDestroyProgram")?;
        let add: Symbol<'_, AddName> = self.function("nvrtcAddNameExpression")?;
        let mut program: Program = ptr::null_mut();
        // SAFETY: the signatures are those of nvrtc.h. Every string and list outlives the calls, and the program is destroyed
        // once, after its last use.
        unsafe {
            let count = header_names.len() as c_int;
            let code = create(
                &mut program,
                text.as_ptr(),
                name.as_ptr(),
                count,
                header_texts.as_ptr(),
                header_names.as_ptr(),
            );
            if code != 0 {
                return Err(format!("{} cannot make a program (code {code})", self.describe()));
            }
            for name in &names {
                add(program, name.as_ptr());
            }
            let accepted = compile(program, options.len() as c_int, options.as_ptr()) == 0;
            let answer = self.answer(program, accepted, &names);
            destroy(&mut program);
            answer
        }
    }

    fn options(&self, request: &Request) -> Vec<String> {
        let mut options = vec![format!("--gpu-architecture={}", request.architecture)];
        if !request.options.iter().any(|o| o.starts_with("--std") || o.starts_with("-std")) {
            let standard = if self.version.0 >= 12 { "c++20" } else { "c++17" };
            options.push(format!("--std={standard}"));
        }
        // As nvcc has it by default. NVRTC has the type on Linux only.
        if self.version.0 >= 12 && cfg!(target_os = "linux") {
            options.push("--device-int128".into());
        }
        if request.relaxed {
            options.push("--device-as-default-execution-space".into());
        }
        if request.text.contains("std::") {
            options.push(format!("--pre-include={STD}"));
        }
        // Kernels are optimised on all cores; older versions refuse the option. On 16 cores NVRTC 13.0 takes 8.7 s in place of 14.4
        // for the largest of the labs' files.
        if self.version >= (12, 9) {
            options.push("--split-compile=0".into());
        }
        let folders = request.include_dirs.iter().chain(&self.include_dirs);
        options.extend(folders.map(|dir| format!("-I{}", dir.display())));
        options.extend(request.defines.iter().map(|d| format!("-D{d}")));
        options.extend(request.options.iter().cloned());
        options
    }

    /// # Safety
    /// `program` was made by this library and was compiled.
    unsafe fn answer(&self, program: Program, accepted: bool, names: &[CString]) -> Result<Answer, String> {
        // SAFETY: as the caller says; the log's buffer has the size asked for.
        let log = unsafe { self.bytes(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog") }?;
        let log =
            CStr::from_bytes_until_nul(&log).map_or(String::new(), |l| l.to_string_lossy().into_owned());
        if !accepted {
            return Ok(Answer { log, ..Answer::default() });
        }
        // SAFETY: as above. A virtual architecture (`compute_90`) has no cubin.
        let cubin = unsafe { self.bytes(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN") }.unwrap_or_default();
        let ptx = match cubin.is_empty() {
            // SAFETY: as above.
            true => unsafe { self.bytes(program, "nvrtcGetPTXSize", "nvrtcGetPTX") }?,
            false => Vec::new(),
        };
        let ptx = String::from_utf8_lossy(&ptx).trim_end_matches('\0').to_owned();
        let get: Symbol<'_, Lowered> = self.function("nvrtcGetLoweredName")?;
        let lowered = names.iter().map(|name| {
            let mut text: *const c_char = ptr::null();
            // SAFETY: the name was added before; the text belongs to the program, which lives.
            unsafe {
                match get(program, name.as_ptr(), &mut text) {
                    0 if !text.is_null() => CStr::from_ptr(text).to_string_lossy().into_owned(),
                    _ => String::new(),
                }
            }
        });
        Ok(Answer { accepted, log, cubin, ptx, lowered: lowered.collect() })
    }

    /// # Safety
    /// `program` was made by this library, and the two functions are a pair of nvrtc.h.
    unsafe fn bytes(&self, program: Program, size: &str, get: &str) -> Result<Vec<u8>, String> {
        let size_of: Symbol<'_, Size> = self.function(size)?;
        let get_bytes: Symbol<'_, Text> = self.function(get)?;
        let mut bytes = 0;
        // SAFETY: the buffer has the size that the library asks for.
        unsafe {
            if size_of(program, &mut bytes) != 0 {
                return Err(format!("{}: {size} failed", self.describe()));
            }
            let mut buffer = vec![0_u8; bytes.max(1)];
            if get_bytes(program, buffer.as_mut_ptr().cast()) != 0 {
                return Err(format!("{}: {get} failed", self.describe()));
            }
            buffer.truncate(bytes);
            Ok(buffer)
        }
    }
}

/// Loads a library that another one asks for by name alone, from the same folder: the system's loader would look only where
/// `LD_LIBRARY_PATH` says, if the other one does not tell it to look beside. It is never unloaded, as the other one.
fn load_beside(path: &Path, name: &str) {
    let beside = path.with_file_name(name);
    if beside.is_file() {
        // SAFETY: as for the library itself. What cannot be loaded is left to the other one, whose message says more.
        std::mem::forget(unsafe { Library::new(beside) });
    }
}

/// The file where NVRTC has the names asked for, a line each.
const NAME_MAP: &str = "__nv_name_map";

/// The names that the program lacks, if it has no other error. The log spells them with blanks between the tokens, as in `Input name
/// expression was: " & table"`.
fn unknown_names<'n>(log: &str, names: &'n [String]) -> Vec<&'n String> {
    let errors: Vec<_> = messages(log).into_iter().filter(|m| m.is_error).collect();
    if errors.is_empty() || errors.iter().any(|m| m.file != NAME_MAP) {
        return Vec::new();
    }
    let packed = |text: &str| text.split_whitespace().collect::<String>();
    let quoted =
        |text: &str| Some(packed(text.split_once("Input name expression was: \"")?.1.strip_suffix('"')?));
    let refused: Vec<String> = errors.iter().filter_map(|m| quoted(m.text.trim())).collect();
    names.iter().filter(|name| refused.contains(&packed(name))).collect()
}

fn c(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| "a text with a zero byte cannot be compiled".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_program_lacks_are_told_from_its_errors() {
        let names = ["k", "&n", "&string literal", "tile<4, unsigned>"].map(String::from);
        let error = |name: &str| {
            format!(
                "__nv_name_map(2): error: identifier \"x\" is undefined\n  #pragma nv_mangled_name x\n\n\
                 __nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name expression \
                 was: \"{name}\"\n"
            )
        };
        let log = [" & string literal", "tile < 4 , unsigned > "].map(error).concat();
        assert_eq!(unknown_names(&log, &names), [&names[2], &names[3]]);
        let wrong = format!("{log}k.cu(3): error: expected a \";\"\n");
        assert!(unknown_names(&wrong, &names).is_empty(), "the program is wrong, too");
        assert!(unknown_names("", &names).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_library_stays_when_nobody_has_it_any_more() {
        let Some(found) = Nvrtc::find() else { return };
        let name = found.path.file_name().unwrap().to_string_lossy().into_owned();
        let stem = name.split(".so").next().unwrap().to_owned();
        drop(found);
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(maps.contains(&stem), "{name} was unloaded");
    }
}
