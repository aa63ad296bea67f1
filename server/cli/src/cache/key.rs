//! What an answer is kept by: a hash of everything that decides it, the program included.

use std::fmt;
use std::hash::{Hash, Hasher};

/// The bytes of a key.
pub(super) const KEY_BYTES: usize = blake3::OUT_LEN;

/// What an answer is kept by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; KEY_BYTES]);

impl Key {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// As 64 hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// Makes keys of values: two that differ anywhere have different keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContentHasher(blake3::Hasher);

impl ContentHasher {
    /// The key of all that was hashed.
    pub(crate) fn key(&self) -> Key {
        Key(*self.0.finalize().as_bytes())
    }
}

impl Hasher for ContentHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let Key(bytes) = self.key();
        let (first, _) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
        u64::from_le_bytes(*first)
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{Hash, Hasher};

    use super::ContentHasher;

    #[test]
    fn values_that_differ_have_different_keys() {
        let key = |value: &dyn Fn(&mut ContentHasher)| {
            let mut hasher = ContentHasher::default();
            value(&mut hasher);
            (hasher.key().to_string(), hasher.finish())
        };
        let keys = [
            key(&|_| {}),
            key(&|hasher| ("a", "bc").hash(hasher)),
            key(&|hasher| ("ab", "c").hash(hasher)),
            key(&|hasher| (1_u64, None::<u64>).hash(hasher)),
            key(&|hasher| (None::<u64>, 1_u64).hash(hasher)),
        ];
        for (at, one) in keys.iter().enumerate() {
            assert_eq!(one.0.len(), 64);
            assert!(keys.iter().skip(at + 1).all(|other| other != one), "{at}");
        }
        assert_eq!(key(&|hasher| ("a", "bc").hash(hasher)), keys[1]);
    }
}
