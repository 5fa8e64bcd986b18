//! CUDA's run-time compiler, looked up when a test runs: it needs no GPU.
//!
//! Found through `NVRTC_LIBRARY` (the library's path), in a CUDA toolkit (`CUDA_PATH`, `CUDA_HOME`, `/usr/local/cuda*`),
//! in Python's site-packages (the wheel `nvidia-cuda-nvrtc`), or by the system's loader. Headers of CUDA are looked for
//! beside it; those of the standard libraries, which it does not have, are given as far as the corpus needs them.

use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::{env, fs, ptr};

/// Stand-ins for headers of the standard libraries.
const HEADERS: &[(&str, &str)] = &[
    ("assert.h", ""),
    ("cassert", ""),
    ("stdio.h", ""),
    ("cstdio", ""),
    ("cmath", MATH),
    ("math.h", MATH),
    ("float.h", FLOAT),
    ("cfloat", FLOAT),
    ("limits.h", LIMITS),
    ("climits", LIMITS),
    ("stdint.h", STDINT),
    ("cstdint", STDINT),
    ("stdlib.h", "typedef unsigned int uint;\n"),
    ("cstdlib", "typedef unsigned int uint;\n"),
];
const MATH: &str =
    "#define INFINITY (__int_as_float(0x7f800000))\n#define NAN (__int_as_float(0x7fffffff))\n";
const FLOAT: &str = "#define FLT_MAX 3.402823466e+38F\n#define FLT_MIN 1.175494351e-38F\n\
    #define FLT_EPSILON 1.192092896e-07F\n#define DBL_MAX 1.7976931348623158e+308\n";
const LIMITS: &str = "#define CHAR_BIT 8\n#define INT_MAX 2147483647\n#define INT_MIN (-2147483647 - 1)\n";
const STDINT: &str = "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n\
    typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;\n\
    typedef unsigned long uint64_t; typedef unsigned long uintptr_t;\n";

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

/// The compiler.
pub(crate) struct Nvrtc {
    handle: Library,
    include_dirs: Vec<PathBuf>,
}

/// What it says of a program.
pub(crate) struct Answer {
    pub(crate) accepted: bool,
    pub(crate) log: String,
}

impl Nvrtc {
    /// The first one found.
    pub(crate) fn find() -> Option<Nvrtc> {
        candidates().into_iter().find_map(|path| {
            // SAFETY: NVRTC's initialisers have no preconditions; a file by this name that is not NVRTC is the
            // user's own choice of library path.
            let handle = unsafe { Library::new(&path) }.ok()?;
            let nvrtc = Nvrtc { handle, include_dirs: include_dirs(&path) };
            nvrtc.version().map(|_| nvrtc)
        })
    }

    /// Major and minor version.
    pub(crate) fn version(&self) -> Option<(i32, i32)> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the signature is that of nvrtc.h; both pointers are to live integers.
        let code = unsafe {
            let version: Symbol<'_, Version> = self.handle.get(b"nvrtcVersion\0").ok()?;
            version(&mut major, &mut minor)
        };
        (code == 0).then_some((major, minor))
    }

    /// Compiles for `sm_90` as C++17.
    pub(crate) fn compile(&self, name: &str, text: &str, more: &[String]) -> Answer {
        let c = |s: &str| CString::new(s).expect("no program of the corpus has a zero byte");
        let (name, text) = (c(name), c(text));
        let names: Vec<CString> = HEADERS.iter().map(|(name, _)| c(name)).collect();
        let texts: Vec<CString> =
            HEADERS.iter().map(|(_, text)| c(&format!("#pragma once\n{text}"))).collect();
        let mut options = vec![c("--gpu-architecture=sm_90"), c("--std=c++17")];
        options.extend(self.include_dirs.iter().map(|dir| c(&format!("-I{}", dir.display()))));
        options.extend(more.iter().map(|option| c(option)));
        let pointers = |list: &[CString]| list.iter().map(|s| s.as_ptr()).collect::<Vec<_>>();
        let (names, texts, options) = (pointers(&names), pointers(&texts), pointers(&options));
        let count = |list: &[*const c_char]| c_int::try_from(list.len()).expect("a short list");
        let mut program: Program = ptr::null_mut();
        // SAFETY: the signatures are those of nvrtc.h. Every string and list outlives the calls; the log's buffer has
        // the size asked for, which counts the final zero; the program is destroyed once, after its last use.
        unsafe {
            let get = "NVRTC has this function in every version";
            let create: Symbol<'_, Create> = self.handle.get(b"nvrtcCreateProgram\0").expect(get);
            let compile: Symbol<'_, Compile> = self.handle.get(b"nvrtcCompileProgram\0").expect(get);
            let size_of_log: Symbol<'_, Size> = self.handle.get(b"nvrtcGetProgramLogSize\0").expect(get);
            let get_log: Symbol<'_, Text> = self.handle.get(b"nvrtcGetProgramLog\0").expect(get);
            let destroy: Symbol<'_, Destroy> = self.handle.get(b"nvrtcDestroyProgram\0").expect(get);
            let created = create(
                &mut program,
                text.as_ptr(),
                name.as_ptr(),
                count(&names),
                texts.as_ptr(),
                names.as_ptr(),
            );
            assert_eq!(created, 0, "nvrtcCreateProgram");
            let accepted = compile(program, count(&options), options.as_ptr()) == 0;
            let mut bytes = 0;
            assert_eq!(size_of_log(program, &mut bytes), 0, "nvrtcGetProgramLogSize");
            let mut log = vec![0_u8; bytes.max(1)];
            assert_eq!(get_log(program, log.as_mut_ptr().cast()), 0, "nvrtcGetProgramLog");
            destroy(&mut program);
            let log =
                CStr::from_bytes_until_nul(&log).map_or(String::new(), |l| l.to_string_lossy().into_owned());
            Answer { accepted, log }
        }
    }
}

/// Paths of libraries to try, best first.
fn candidates() -> Vec<PathBuf> {
    if let Some(path) = env::var_os("NVRTC_LIBRARY") {
        return vec![PathBuf::from(path)];
    }
    let mut folders = Vec::new();
    for toolkit in ["CUDA_PATH", "CUDA_HOME"].iter().filter_map(env::var_os) {
        folders.push(PathBuf::from(&toolkit).join("lib64"));
        folders.push(PathBuf::from(&toolkit).join("bin"));
    }
    folders.extend(matching("/usr/local", "cuda").into_iter().map(|toolkit| toolkit.join("lib64")));
    let environments = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let roots = [
        Some("/usr/local".into()),
        Some("/usr".into()),
        env::var_os("HOME").map(|h| Path::new(&h).join(".local")),
    ];
    for root in environments.into_iter().chain(roots.into_iter().flatten()) {
        folders.extend(site_packages(&root));
    }
    let mut found: Vec<PathBuf> = folders
        .iter()
        .flat_map(|f| matching(f, "libnvrtc.so").into_iter().chain(matching(f, "nvrtc64_")))
        .collect();
    found.extend(["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"].map(PathBuf::from));
    found
}

/// Where wheels put the library, under a Python environment.
fn site_packages(root: &Path) -> Vec<PathBuf> {
    let pythons = matching(root.join("lib"), "python");
    let packages = pythons.iter().flat_map(|p| [p.join("site-packages"), p.join("dist-packages")]);
    packages
        .flat_map(|p| matching(p.join("nvidia"), "").into_iter().map(|package| package.join("lib")))
        .collect()
}

/// Folders with headers of CUDA that belong to a library: its toolkit's, or those of the wheels beside its own.
fn include_dirs(library: &Path) -> Vec<PathBuf> {
    let Some(package) = library.parent().and_then(Path::parent) else { return Vec::new() };
    let mut folders = vec![package.join("include")];
    if let Some(wheels) = package.parent().filter(|p| p.ends_with("nvidia")) {
        folders.extend(matching(wheels, "").into_iter().map(|wheel| wheel.join("include")));
    }
    folders.retain(|f| f.is_dir());
    folders
}

/// What a folder has whose name begins so, in order of name; nothing where there is no such folder.
fn matching(folder: impl AsRef<Path>, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|e| e.file_name().to_string_lossy().starts_with(prefix));
    let mut paths: Vec<PathBuf> = named.map(|e| e.path()).collect();
    paths.sort();
    paths
}
