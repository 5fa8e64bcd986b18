//! Where CUDA's libraries and programs are installed.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Paths of libraries to try for NVRTC, best first: `NVRTC_LIBRARY` alone if it is set, otherwise toolkits, Python's wheels, and
/// what the system's loader finds.
pub(crate) fn libraries() -> Vec<PathBuf> {
    if let Some(path) = env::var_os("NVRTC_LIBRARY") {
        return vec![PathBuf::from(path)];
    }
    let mut folders: Vec<PathBuf> =
        env::var_os("LD_LIBRARY_PATH").iter().flat_map(env::split_paths).collect();
    for toolkit in toolkits() {
        folders.push(toolkit.join("lib64"));
        folders.push(toolkit.join("bin"));
    }
    for root in python_roots() {
        folders.extend(site_packages(&root));
    }
    let newest_first = |folder: &PathBuf| {
        let mut named = matching(folder, "libnvrtc.so");
        named.extend(matching(folder, "nvrtc64_"));
        named.reverse();
        named
    };
    let mut found: Vec<PathBuf> = folders.iter().flat_map(newest_first).collect();
    found.retain(|path| !path.to_string_lossy().contains(".alt."));
    found.extend(["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"].map(PathBuf::from));
    found
}

/// A program of CUDA's toolkit: on the path, or where toolkits are installed.
pub fn executable(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    let listed = env::split_paths(&path);
    let installed = toolkits().into_iter().map(|toolkit| toolkit.join("bin"));
    listed.chain(installed).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

fn toolkits() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].iter().filter_map(env::var_os).map(PathBuf::from);
    let installed = matching("/usr/local", "cuda").into_iter().chain([PathBuf::from("/opt/cuda")]);
    named.chain(installed).collect()
}

/// Roots of Python environments: the active one, that of `python3` on the path, and the usual ones.
fn python_roots() -> Vec<PathBuf> {
    let active = env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).find(|dir| dir.join("python3").is_file());
    let beside = on_path.and_then(|dir| dir.parent().map(Path::to_owned));
    let home = env::var_os("HOME").map(|home| Path::new(&home).join(".local"));
    let usual = ["/usr/local", "/usr", "/opt/venv"].map(PathBuf::from);
    active.into_iter().chain(beside).chain(home).chain(usual).collect()
}

/// Where wheels put libraries, under a Python environment: `nvidia/cuda_nvrtc/lib`, `nvidia/cu13/lib`.
fn site_packages(root: &Path) -> Vec<PathBuf> {
    let pythons = matching(root.join("lib"), "python");
    let packages = pythons.iter().flat_map(|p| [p.join("site-packages"), p.join("dist-packages")]);
    packages
        .flat_map(|p| matching(p.join("nvidia"), "").into_iter().map(|package| package.join("lib")))
        .collect()
}

/// Folders with headers of CUDA that belong to a library: its toolkit's, or those of the wheels beside its own.
pub(crate) fn headers_beside(library: &Path) -> Vec<PathBuf> {
    let Some(package) = library.parent().and_then(Path::parent) else { return Vec::new() };
    let mut folders = vec![package.join("include")];
    if let Some(wheels) = package.parent().filter(|p| p.ends_with("nvidia")) {
        folders.extend(matching(wheels, "").into_iter().map(|wheel| wheel.join("include")));
    }
    folders.extend(toolkits().into_iter().map(|toolkit| toolkit.join("include")));
    // Since CUDA 13 the C++ library's headers are a folder deeper.
    let deeper: Vec<PathBuf> = folders.iter().map(|folder| folder.join("cccl")).collect();
    folders.extend(deeper);
    folders.retain(|f| f.is_dir());
    let mut seen = Vec::new();
    folders.retain(|f| {
        !seen.contains(f) && {
            seen.push(f.clone());
            true
        }
    });
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
