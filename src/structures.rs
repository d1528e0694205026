//! The structures that keep a pick from growing with the pool.

mod bitset;
mod chain;
mod fenwick;
mod heap;
mod table;

pub(crate) use bitset::Bitset;
pub(crate) use chain::Chain;
pub(crate) use fenwick::Fenwick;
pub(crate) use heap::IndexedHeap;
pub(crate) use table::Table;
