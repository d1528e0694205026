//! Finds numbered things by a hash of their name.

/// An index over things that are kept elsewhere, in numbered places.
///
/// Open addressing with linear probing, at most half full. It keeps places alone: what is compared
/// and what is hashed stays with the things.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// A place plus 1, or 0 for an empty slot. Always a power of two long.
    slots: Vec<u32>,
    count: usize,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { slots: vec![0; 16], count: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    /// The place under `hash` that `is_it`.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        self.slot_of(hash, is_it).map(|slot| self.slots[slot] - 1)
    }

    /// Adds a place that is not there yet.
    pub(crate) fn insert(&mut self, hash: u64, place: u32, hash_of: impl Fn(u32) -> u64) {
        self.count += 1;
        if self.count * 2 > self.slots.len() {
            let longer = vec![0; self.slots.len() * 2];
            for place in std::mem::replace(&mut self.slots, longer) {
                if place > 0 {
                    self.put(hash_of(place - 1), place);
                }
            }
        }
        self.put(hash, place + 1);
    }

    /// Takes out the place under `hash` that `is_it`, and answers it.
    ///
    /// Later entries of the same run move back, so that no search ends too early (Knuth, The Art of
    /// Computer Programming 3, algorithm 6.4 R).
    pub(crate) fn remove(
        &mut self,
        hash: u64,
        is_it: impl Fn(u32) -> bool,
        hash_of: impl Fn(u32) -> u64,
    ) -> Option<u32> {
        let mut hole = self.slot_of(hash, is_it)?;
        let removed = self.slots[hole] - 1;
        self.count -= 1;
        let mask = self.slots.len() - 1;
        let mut slot = (hole + 1) & mask;
        while self.slots[slot] > 0 {
            let home = hash_of(self.slots[slot] - 1) as usize & mask;
            if slot.wrapping_sub(home) & mask >= slot.wrapping_sub(hole) & mask {
                self.slots[hole] = self.slots[slot];
                hole = slot;
            }
            slot = (slot + 1) & mask;
        }
        self.slots[hole] = 0;
        Some(removed)
    }

    #[inline(always)]
    fn slot_of(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] > 0 {
            if is_it(self.slots[slot] - 1) {
                return Some(slot);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    fn put(&mut self, hash: u64, entry: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] > 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = entry;
    }
}
