//! A priority queue whose items can be changed and taken out by name.

/// The items `0..len`, some of them queued, the one with the smallest key first.
///
/// A binary heap that also knows the place of each item, so that a change costs `O(log n)` and no
/// stale entries pile up.
#[derive(Clone, Debug, Default)]
pub(crate) struct IndexedHeap<K> {
    heap: Vec<(K, usize)>,
    /// Where an item stands in `heap`; `ABSENT` when it is not queued.
    places: Vec<usize>,
}

const ABSENT: usize = usize::MAX;

impl<K: Copy + Ord> IndexedHeap<K> {
    pub(crate) fn new() -> Self {
        Self { heap: Vec::new(), places: Vec::new() }
    }

    /// Queues `item` under `key`, or moves it there when it is queued already.
    pub(crate) fn set(&mut self, item: usize, key: K) {
        if self.places.len() <= item {
            self.places.resize(item + 1, ABSENT);
        }
        let place = match self.place(item) {
            Some(place) => place,
            None => {
                self.heap.push((key, item));
                self.heap.len() - 1
            }
        };
        self.heap[place] = (key, item);
        self.places[item] = place;
        self.settle(place);
    }

    /// Takes `item` out.
    pub(crate) fn remove(&mut self, item: usize) {
        let Some(place) = self.place(item) else {
            return;
        };
        self.places[item] = ABSENT;
        self.heap.swap_remove(place);
        if let Some(&(_, moved)) = self.heap.get(place) {
            self.places[moved] = place;
            self.settle(place);
        }
    }

    /// The item with the smallest key; of equal keys, the smallest item.
    pub(crate) fn first(&self) -> Option<(K, usize)> {
        self.heap.first().copied()
    }

    /// The key of `item`, when it is queued.
    pub(crate) fn key(&self, item: usize) -> Option<K> {
        self.heap.get(self.place(item)?).map(|&(key, _)| key)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    fn place(&self, item: usize) -> Option<usize> {
        self.places.get(item).copied().filter(|&place| place != ABSENT)
    }

    /// Moves the entry at `place` up or down until the order holds again.
    fn settle(&mut self, mut place: usize) {
        while place > 0 && self.heap[place] < self.heap[(place - 1) / 2] {
            self.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let mut smallest = place;
            for child in [left, right] {
                if child < self.heap.len() && self.heap[child] < self.heap[smallest] {
                    smallest = child;
                }
            }
            if smallest == place {
                return;
            }
            self.swap(place, smallest);
            place = smallest;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.places[self.heap[a].1] = a;
        self.places[self.heap[b].1] = b;
    }
}

#[cfg(test)]
mod tests {
    use super::IndexedHeap;
    use crate::rng::Rng;

    #[test]
    fn agrees_with_a_sorted_list_under_random_changes() {
        let mut rng = Rng::from_seed(7);
        let mut heap = IndexedHeap::new();
        let mut list: Vec<(u64, usize)> = Vec::new();
        for _ in 0..20_000 {
            let item = rng.below(40) as usize;
            list.retain(|&(_, other)| other != item);
            if rng.below(3) == 0 {
                heap.remove(item);
            } else {
                let key = rng.below(50);
                heap.set(item, key);
                list.push((key, item));
            }
            assert_eq!(heap.first(), list.iter().min().copied());
            assert_eq!(heap.key(item), list.iter().find(|e| e.1 == item).map(|e| e.0));
        }
    }
}
