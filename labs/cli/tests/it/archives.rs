//! Submissions that are archives, written by Python's `zipfile` and `tarfile`.

use crate::support::Project;
use serde_json::Value;
use std::process::Command;

/// Writes archives by a script; `z` and `t` open a zip and a tar archive, `kernel` is the solution of lab-7/copy.
fn write(project: &Project, script: &str) {
    let start = "import io, os, sys, tarfile, zipfile\nkernel = open(sys.argv[1], 'rb').read()\n\
        def z(name): os.makedirs(os.path.dirname(name), exist_ok=True); return zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED)\n\
        def t(name, mode='w:gz', **more): os.makedirs(os.path.dirname(name), exist_ok=True); return tarfile.open(name, mode, **more)\n\
        def add(tar, name, data=b'', **more):\n  info = tarfile.TarInfo(name); info.size = len(data)\n  \
        for key in more: setattr(info, key, more[key])\n  tar.addfile(info, io.BytesIO(data))\n";
    let kernel = project.path("solutions/lab-7-transpose/copy.cu");
    let mut python = Command::new("python3");
    python.args(["-c", &format!("{start}{script}")]).arg(kernel).current_dir(project.root());
    let output = python.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The objects of a run, in order.
fn graded(project: &Project, arguments: &[&str]) -> Vec<Value> {
    let answer = project.lab(&[&["grade", "--ordered", "--jobs", "2"], arguments].concat());
    answer.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The file of an object with its score, or the reason why it has none.
fn told(object: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let result = if object["score"].is_null() { &object["error"] } else { &object["score"] };
    (text(&object["file"]), text(result))
}

#[test]
fn members_of_archives_are_graded_like_files() {
    let project = Project::new();
    write(
        &project,
        "
a = z('s/ada/handin.zip'); a.writestr('lab-7/copy.cu', kernel); a.writestr('readme.txt', 'hello'); a.writestr('lab-7/', ''); a.close()
a = z('s/bob/lab-7.ZIP'); a.writestr('mine\\\\copy.cu', kernel, zipfile.ZIP_STORED); a.writestr('__MACOSX/mine/._copy.cu', b'0'); a.close()
long = 'folder/' * 30 + 'lab-7/copy.cu'
for i, (end, mode, form) in enumerate([('tar', 'w', tarfile.USTAR_FORMAT), ('tar.gz', 'w:gz', tarfile.PAX_FORMAT), ('tgz', 'w:gz', tarfile.GNU_FORMAT)]):
  a = t(f's/student{i}/x.{end}', mode, format=form); add(a, 'lab-7', type=tarfile.DIRTYPE)
  add(a, 'lab-7/copy.cu' if end == 'tar' else long, kernel); a.close()
",
    );
    let objects = graded(&project, &["s"]);
    let long = format!("{}lab-7/copy.cu", "folder/".repeat(30));
    let expected = [
        "s/ada/handin.zip/lab-7/copy.cu".to_owned(),
        "s/bob/lab-7.ZIP/mine/copy.cu".to_owned(),
        "s/student0/x.tar/lab-7/copy.cu".to_owned(),
        format!("s/student1/x.tar.gz/{long}"),
        format!("s/student2/x.tgz/{long}"),
    ];
    assert_eq!(objects.iter().map(told).collect::<Vec<_>>(), expected.map(|file| (file, "100".to_owned())));
    // An archive may be named itself, and a run be continued.
    assert_eq!(graded(&project, &["s/ada/handin.zip"]).len(), 1);
    assert_eq!(project.lab(&["grade", "s", "-o", "r.jsonl"]).status, 0);
    let again = project.lab(&["grade", "s", "-o", "r.jsonl", "--resume"]);
    assert_eq!((again.status, project.read("r.jsonl").lines().count()), (0, 5), "{}", again.err);
    project.refused(&["grade", "s", "-o", "s/ada/handin.zip"], "is one of the files to grade");
    assert_eq!(project.lab(&["similar", "s", "--json"]).status, 0);
}

#[test]
fn what_is_not_unpacked_has_a_reason() {
    let project = Project::new();
    write(
        &project,
        "
a = t('s/a/x.tar'); add(a, '../out.cu', kernel); add(a, '/abs.cu', kernel); add(a, 'good/copy.cu', kernel)
add(a, 'link.cu', type=tarfile.SYMTYPE, linkname='/etc/passwd'); add(a, 'hard.cu', type=tarfile.LNKTYPE, linkname='good/copy.cu')
add(a, 'pipe.cu', type=tarfile.FIFOTYPE); a.close()
os.rename('s/a/x.tar', 's/a/x.tar.gz')
a = z('s/b/x.zip'); a.writestr('..\\\\..\\\\out.cu', kernel); a.writestr('C:/drive.cu', kernel); a.writestr('inner.zip', b'PK')
i = zipfile.ZipInfo('link.cu'); i.create_system = 3; i.external_attr = 0o120777 << 16; a.writestr(i, '/etc/passwd')
a.writestr('lab-7/copy.cu.txt', kernel); a.writestr('big.cu', b' ' * (2 << 20)); a.close()
a = z('s/c/bomb.zip'); a.writestr('lab-7/copy.cu', bytes(200 << 20)); a.close()
a = t('s/c/bomb.tgz'); add(a, 'lab-7/copy.cu', bytes(200 << 20)); a.close()
a = z('s/c/many.zip'); [a.writestr(f'{i}.cu', b'') for i in range(2000)]; a.close()
a = z('s/c/none.zip'); a.writestr('readme.txt', 'hello'); a.close()
whole = open('s/b/x.zip', 'rb').read()
open('s/c/cut.zip', 'wb').write(whole[:-30]); open('s/c/text.zip', 'w').write('hello'); open('s/c/text.tar', 'w').write('hello' * 500)
a = z('s/d/x.zip'); a.writestr('lab-7/copy.cu', kernel, zipfile.ZIP_STORED); a.close()
bad = bytearray(open('s/d/x.zip', 'rb').read()); bad[100] ^= 1; open('s/d/x.zip', 'wb').write(bad)
",
    );
    let objects = graded(&project, &["s", "--exercise", "lab-7/copy"]);
    let found: Vec<(String, String)> = objects.iter().map(told).collect();
    for (file, result) in [
        ("s/a/x.tar.gz/out.cu", "`../out.cu`, leads out of the archive"),
        ("s/a/x.tar.gz/abs.cu", "`/abs.cu`, leads out of the archive"),
        ("s/a/x.tar.gz/good/copy.cu", "100"),
        ("s/a/x.tar.gz/link.cu", "it is a link"),
        ("s/a/x.tar.gz/hard.cu", "it is a link"),
        ("s/a/x.tar.gz/pipe.cu", "not a regular file"),
        ("s/b/x.zip/out.cu", "leads out of the archive"),
        ("s/b/x.zip/C:/drive.cu", "leads out of the archive"),
        ("s/b/x.zip/inner.zip", "`inner.zip` is an archive"),
        ("s/b/x.zip/link.cu", "it is a symbolic link"),
        ("s/b/x.zip/lab-7/copy.cu.txt", "rename it to `copy.cu`"),
        ("s/b/x.zip/big.cu", "0"),
        ("s/c/bomb.zip", "unpacks to more than 16 MiB"),
        ("s/c/bomb.tgz", "unpacks to more than 16 MiB"),
        ("s/c/many.zip", "more than 1000 members"),
        ("s/c/none.zip", "has no kernel file"),
        ("s/c/cut.zip", "not a zip archive"),
        ("s/c/text.zip", "not a zip archive"),
        ("s/c/text.tar", "not a tar archive"),
        ("s/d/x.zip/lab-7/copy.cu", "it is damaged"),
    ] {
        let is_told = |(name, told): &&(String, String)| name == file && told.contains(result);
        assert!(found.iter().any(|one| is_told(&one)), "{file}: {result}: {found:#?}");
    }
    assert_eq!(found.len(), 20, "{found:#?}");
    assert!(!project.path("out.cu").exists() && !project.path("s/out.cu").exists());
    // The feedback of a student names each file and why it has no grade.
    let feedback = project.lab(&["grade", "s/b", "--format", "gradescope"]);
    assert!(
        feedback.out.contains("inner.zip") && feedback.out.contains("rename it to `copy.cu`"),
        "{}",
        feedback.out
    );
}
