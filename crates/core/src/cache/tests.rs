use super::*;

fn built() -> Built {
    Built { artifact: vec![7; 5000], path: None, text: "void step_0() {}\n".into(), kernels: vec!["step".into()] }
}

fn key() -> Key {
    Key::of(b"k")
}

/// A cache that holds one kernel file and its outer record.
fn filled() -> (tempfile::TempDir, Cache) {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path().join("deep/er"));
    cache.store_kernel(&key(), &mut built()).unwrap();
    cache.store_outer(&Key::of(b"o"), &key(), &Front::default()).unwrap();
    (directory, cache)
}

#[test]
fn what_is_stored_is_found() {
    let (_directory, cache) = filled();
    let found = cache.kernel(&key()).unwrap();
    assert_eq!(std::fs::read(found.path.as_ref().unwrap()).unwrap(), built().artifact);
    assert_eq!(Built { path: None, ..found }, built());
    assert_eq!(cache.outer(&Key::of(b"o")).unwrap().inner, key().to_string());
    assert_eq!(cache.kernel(&Key::of(b"other")), None);
    assert_eq!(std::fs::read_dir(cache.versioned().join("staging")).unwrap().count(), 0);
}

#[test]
fn listing_and_clearing() {
    let (_directory, cache) = filled();
    let entries = cache.entries().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].key, &entries[0].kernels[..]), (key(), &["step".to_string()][..]));
    assert!(entries[0].bytes > 5000 && cache.bytes() > entries[0].bytes);
    let bytes = cache.bytes();
    assert_eq!(cache.clear().unwrap(), Cleared { entries: 1, bytes });
    assert_eq!(cache.clear().unwrap().entries, 0);
    assert_eq!(cache.kernel(&key()), None);
    assert_eq!(Cache::new("/nowhere/at/all").entries().unwrap(), []);
    cache.store_kernel(&key(), &mut built()).unwrap();
    assert!(cache.kernel(&key()).is_some(), "a cleared cache takes entries again");
}

#[test]
fn every_damage_is_noticed_and_repaired() {
    for file in [ARTIFACT, SOURCE, RECORD] {
        type Damage = fn(&Path);
        let damages: [Damage; 5] = [
            |path| std::fs::remove_file(path).unwrap(),
            |path| std::fs::write(path, b"").unwrap(),
            |path| {
                let bytes = std::fs::read(path).unwrap();
                std::fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
            },
            |path| {
                let mut bytes = std::fs::read(path).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                std::fs::write(path, bytes).unwrap();
            },
            |path| {
                std::fs::remove_file(path).unwrap();
                std::fs::create_dir(path).unwrap();
            },
        ];
        for (number, damage) in damages.iter().enumerate() {
            let (_directory, cache) = filled();
            damage(&cache.kernel_path(&key()).join(file));
            assert_eq!(cache.kernel(&key()), None, "damage {number} of {file}");
            cache.store_kernel(&key(), &mut built()).unwrap();
            assert!(cache.kernel(&key()).is_some(), "damage {number} of {file} is not repaired");
        }
    }
}

#[test]
fn an_entry_under_a_foreign_key_is_none() {
    let (_directory, cache) = filled();
    let other = Key::of(b"other");
    let path = cache.kernel_path(&other);
    create_parent(&path).unwrap();
    std::fs::rename(cache.kernel_path(&key()), &path).unwrap();
    assert_eq!(cache.kernel(&other), None);
    let outer = cache.outer_path(&other);
    create_parent(&outer).unwrap();
    std::fs::rename(cache.outer_path(&Key::of(b"o")), &outer).unwrap();
    assert_eq!(cache.outer(&other), None);
}

#[test]
fn locks_hold_others_off_by_key_and_kind() {
    let (_directory, cache) = filled();
    let outer = cache.lock_outer(&key());
    assert!(outer._lock.is_some());
    // Another kind of the same key is free.
    drop(cache.lock_inner(&key()));
    let (sender, receiver) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn({
        let cache = cache.clone();
        move || {
            let _lock = cache.lock_outer(&key());
            sender.send(()).unwrap();
        }
    });
    assert!(receiver.recv_timeout(std::time::Duration::from_millis(50)).is_err(), "the lock is held");
    drop(outer);
    receiver.recv_timeout(std::time::Duration::from_secs(20)).expect("the lock was given back");
    waiting.join().unwrap();
}

#[test]
fn what_a_backend_compiles_by_itself_is_compiled_once() {
    let (_directory, cache) = filled();
    let mut compiled = 0;
    for (text, flags, expected) in [("a", "x", 1), ("a", "x", 1), ("a", "y", 2), ("b", "x", 3)] {
        let bytes = cache.compiled("loop", text, &[("flags", flags.to_owned())], || {
            compiled += 1;
            Ok(format!("{text}{flags}").into_bytes())
        });
        assert_eq!(bytes.unwrap(), format!("{text}{flags}").into_bytes());
        assert_eq!(compiled, expected, "{text}, {flags}");
    }
    let refused = cache.compiled("loop", "c", &[], || Err(Error::invalid("no")));
    assert_eq!(refused.unwrap_err().to_string(), "no");
    let entries = cache.entries().unwrap();
    assert_eq!(entries.iter().filter(|entry| entry.kernels == ["loop"]).count(), 3);
}
