//! Items in numbered places that stay put, linked in the order of their last use.

/// The place after the last: no place.
pub(crate) const NONE: u32 = u32::MAX;

/// A slab whose items form one chain, the newest first.
///
/// A place is found by its number, moved to the front, or taken out in constant time. A place that
/// was taken out is used again before the slab grows.
#[derive(Clone, Debug)]
pub(crate) struct Chain<T> {
    links: Vec<Link<T>>,
    newest: u32,
    oldest: u32,
    /// The first unused place; unused places are linked through `older`.
    unused: u32,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Link<T> {
    newer: u32,
    older: u32,
    item: T,
}

impl<T: Copy> Chain<T> {
    pub(crate) const fn new() -> Self {
        Self { links: Vec::new(), newest: NONE, oldest: NONE, unused: NONE, count: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    /// Adds an item as the newest; `make` is told what the place held before.
    #[inline(always)]
    pub(crate) fn push(&mut self, make: impl FnOnce(Option<T>) -> T) -> u32 {
        let place = if let Some(link) = self.links.get_mut(self.unused as usize) {
            let place = self.unused;
            self.unused = link.older;
            link.item = make(Some(link.item));
            place
        } else {
            self.links.push(Link { newer: NONE, older: NONE, item: make(None) });
            (self.links.len() - 1) as u32
        };
        self.count += 1;
        self.link_newest(place);
        place
    }

    /// Takes the place out of the chain. It must be in it.
    #[inline(always)]
    pub(crate) fn remove(&mut self, place: u32) {
        self.unlink(place);
        self.links[place as usize].older = self.unused;
        self.unused = place;
        self.count -= 1;
    }

    /// Makes the place the newest.
    #[inline(always)]
    pub(crate) fn renew(&mut self, place: u32) {
        if place != self.newest {
            self.unlink(place);
            self.link_newest(place);
        }
    }

    #[inline(always)]
    pub(crate) const fn oldest(&self) -> Option<u32> {
        if self.oldest == NONE { None } else { Some(self.oldest) }
    }

    /// The places from the oldest to the newest.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.oldest(), |&place| {
            let newer = self.links[place as usize].newer;
            (newer != NONE).then_some(newer)
        })
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: u32) -> Option<&T> {
        self.links.get(place as usize).map(|link| &link.item)
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.links.get_mut(place as usize).map(|link| &mut link.item)
    }

    #[inline(always)]
    fn link_newest(&mut self, place: u32) {
        let older = self.newest;
        let link = &mut self.links[place as usize];
        (link.newer, link.older) = (NONE, older);
        match self.links.get_mut(older as usize) {
            Some(link) => link.newer = place,
            None => self.oldest = place,
        }
        self.newest = place;
    }

    #[inline(always)]
    fn unlink(&mut self, place: u32) {
        let Link { newer, older, .. } = self.links[place as usize];
        match self.links.get_mut(newer as usize) {
            Some(link) => link.older = older,
            None => self.newest = older,
        }
        match self.links.get_mut(older as usize) {
            Some(link) => link.newer = newer,
            None => self.oldest = newer,
        }
    }
}
