use super::*;

fn built() -> Built {
    Built { artifact: vec![7; 5000], text: "void step_0() {}\n".into(), kernels: vec!["step".into()] }
}

fn key() -> Key {
    Key::of(b"k")
}

/// A cache that holds one kernel file and its outer record.
fn filled() -> (tempfile::TempDir, Cache) {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::new(directory.path().join("deep/er"));
    cache.store_kernel(&key(), &built()).unwrap();
    cache.store_outer(&Key::of(b"o"), &key(), &Front::default()).unwrap();
    (directory, cache)
}

#[test]
fn what_is_stored_is_found() {
    let (_directory, cache) = filled();
    assert_eq!(cache.kernel(&key()), Ok(Some(built())));
    assert_eq!(cache.outer(&Key::of(b"o")).unwrap().unwrap().inner, key().to_string());
    assert_eq!(cache.kernel(&Key::of(b"other")), Ok(None));
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
    assert_eq!(cache.kernel(&key()), Ok(None));
    assert_eq!(Cache::new("/nowhere/at/all").entries().unwrap(), []);
    cache.store_kernel(&key(), &built()).unwrap();
    assert!(cache.kernel(&key()).unwrap().is_some(), "a cleared cache takes entries again");
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
            damage(&cache.root.join(kernel_path(&key())).join(file));
            assert_eq!(cache.kernel(&key()), Ok(None), "damage {number} of {file}");
            cache.store_kernel(&key(), &built()).unwrap();
            assert!(cache.kernel(&key()).unwrap().is_some(), "damage {number} of {file} is not repaired");
        }
    }
}

#[test]
fn an_entry_under_a_foreign_key_is_none() {
    let (_directory, cache) = filled();
    let other = Key::of(b"other");
    let path = cache.root.join(kernel_path(&other));
    create_parent(&path).unwrap();
    std::fs::rename(cache.root.join(kernel_path(&key())), &path).unwrap();
    assert_eq!(cache.kernel(&other), Ok(None));
    let outer = cache.root.join(outer_path(&other));
    create_parent(&outer).unwrap();
    std::fs::rename(cache.root.join(outer_path(&Key::of(b"o"))), &outer).unwrap();
    assert_eq!(cache.outer(&other), Ok(None));
}

/// Waits for locks as long as `ms`.
fn patience(ms: u64) -> Patience {
    Patience::new(Duration::from_millis(ms))
}

#[test]
fn locks_hold_others_off_by_key_and_kind() {
    let (_directory, cache) = filled();
    let locks = || std::fs::read_dir(cache.versioned().join("locks")).unwrap().count();
    let outer = cache.lock_outer(&key(), &mut patience(0));
    assert!(outer._lock.is_some());
    // Another kind of the same key is free, and so are all other keys.
    assert!(cache.lock_inner(&key(), &mut patience(0))._lock.is_some());
    let others: Vec<CacheLock> =
        (0..300_u32).map(|n| cache.lock_outer(&Key::of(&n.to_le_bytes()), &mut patience(0))).collect();
    assert!(others.iter().all(|lock| lock._lock.is_some()));
    drop(others);
    let (sender, receiver) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn({
        let cache = cache.clone();
        move || {
            let _lock = cache.lock_outer(&key(), &mut patience(60_000));
            sender.send(()).unwrap();
        }
    });
    assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err(), "the lock is held");
    drop(outer);
    receiver.recv_timeout(Duration::from_secs(20)).expect("the lock was given back");
    waiting.join().unwrap();
    assert_eq!(locks(), usize::from(cfg!(windows)) * 302, "no lock file is left");
}

#[test]
fn a_build_waits_for_all_its_locks_together_no_longer_than_its_limit() {
    let (_directory, cache) = filled();
    let _held = [cache.lock_outer(&key(), &mut patience(0)), cache.lock_inner(&key(), &mut patience(0))];
    let (begin, mut patience) = (std::time::Instant::now(), patience(200));
    assert!(cache.lock_outer(&key(), &mut patience)._lock.is_none());
    assert!(cache.lock_inner(&key(), &mut patience)._lock.is_none());
    let waited = begin.elapsed();
    assert!(waited >= Duration::from_millis(200) && waited < Duration::from_millis(390), "{waited:?}");
}

/// With several waiting, files that are removed by who held them, and files that dead processes left.
#[test]
fn nobody_holds_a_lock_at_the_same_time_as_another() {
    let (_directory, cache) = filled();
    let (inside, rounds) = (std::sync::atomic::AtomicU32::new(0), 200);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..rounds {
                    let lock = cache.lock_inner(&key(), &mut patience(60_000));
                    assert!(lock._lock.is_some());
                    assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0, "two hold the lock");
                    inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                }
            });
        }
    });
}

#[test]
#[cfg(unix)]
fn a_lock_file_that_is_a_link_is_not_followed() {
    let (directory, cache) = filled();
    let victim = directory.path().join("victim");
    let locks = cache.versioned().join("locks");
    std::fs::create_dir_all(&locks).unwrap();
    std::os::unix::fs::symlink(&victim, locks.join(format!("outer-{}", key()))).unwrap();
    assert!(cache.lock_outer(&key(), &mut patience(0))._lock.is_none());
    assert!(!victim.exists());
}

#[test]
#[cfg(unix)]
fn what_is_made_is_this_users_alone_and_what_others_can_write_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let (directory, cache) = filled();
    let permissions = |path: &Path| std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
    let shard = cache.root.join(kernel_path(&key())).parent().unwrap().to_owned();
    for path in [&directory.path().join("deep"), &cache.root, &cache.versioned(), &shard] {
        assert_eq!(permissions(path), 0o700, "{}", path.display());
    }
    assert_eq!(permissions(&cache.root.join(kernel_path(&key())).join(ARTIFACT)) & 0o022, 0);
    for part in ["", "v1", "v1/outer", "v1/kernels", "v1/staging"] {
        let path = cache.root.join(part);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o770)).unwrap();
        let reason = cache.check().unwrap_err().to_string();
        assert!(reason.contains("its mode is 770"), "{reason}");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert_eq!(cache.check(), Ok(()));
    std::fs::set_permissions(&shard, std::fs::Permissions::from_mode(0o707)).unwrap();
    assert!(cache.kernel(&key()).is_err());
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
