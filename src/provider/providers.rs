//! The providers, and which of them were changed since someone last looked.

use super::Provider;

/// The providers by their numbers. Whoever may have been changed is noted, so that routes need not look
/// at all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Providers {
    list: Vec<Provider>,
    touched: Vec<u32>,
}

impl Providers {
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> Option<&Provider> {
        self.list.get(at)
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut Provider> {
        let known = self.list.get_mut(at)?;
        if !known.touched {
            known.touched = true;
            self.touched.push(at as u32);
        }
        Some(known)
    }

    /// A provider that was changed since it was last taken.
    pub(crate) fn take_touched(&mut self) -> Option<u32> {
        let at = self.touched.pop()?;
        if let Some(known) = self.list.get_mut(at as usize) {
            known.touched = false;
        }
        Some(at)
    }

    pub(crate) fn push(&mut self, provider: Provider) {
        self.list.push(provider);
    }

    pub(crate) const fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Provider> {
        self.list.iter()
    }

    /// Every provider, to be changed.
    pub(crate) fn for_each(&mut self, mut change: impl FnMut(usize, &mut Provider)) {
        for at in 0..self.list.len() {
            if let Some(known) = self.get_mut(at) {
                change(at, known);
            }
        }
    }
}
