//! Names as numbers: strings are met once, at loading, and are numbers from then on.

/// The number of a provider in its pool. It stays the same for the life of the pool.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ProviderIndex(pub u32);

/// The number of a credential in its provider. It stays the same while the pool remembers the id.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CredentialIndex(pub u32);

/// A credential and its provider: where a request is sent that may go to many providers.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Address {
    /// The provider.
    pub provider: ProviderIndex,
    /// The credential in it.
    pub credential: CredentialIndex,
}

/// A lease: a place in the lease table and how many leases used that place before.
///
/// A lease that ended leaves its place to another; the count tells the two apart, so that a late
/// report never lands on a stranger.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct LeaseId {
    pub(crate) place: u32,
    pub(crate) turn: u32,
}

impl LeaseId {
    /// How many leases can be told apart at one time: 2^21, so that a place and a turn (2^32) fit the
    /// 53 bits of a number.
    pub(crate) const PLACES: u32 = 1 << 21;

    /// No table has that place.
    const NOWHERE: Self = Self { place: u32::MAX, turn: u32::MAX };

    /// The id as one whole number below 2^53, which JavaScript holds exactly.
    #[must_use]
    #[inline(always)]
    pub fn to_number(self) -> f64 {
        f64::from(self.turn) * f64::from(Self::PLACES) + f64::from(self.place)
    }

    /// The id that [`to_number`](Self::to_number) wrote; any other number names no lease.
    #[must_use]
    #[inline(always)]
    pub fn from_number(number: f64) -> Self {
        let places = f64::from(Self::PLACES);
        let turn = (number / places) as u32; // `as` truncates and saturates
        let id = Self { place: (number - f64::from(turn) * places) as u32, turn };
        if id.to_number() == number { id } else { Self::NOWHERE }
    }
}

/// A session id as a 64-bit hash: of fixed size however long the id, and no text to leak.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct SessionHash(pub u64);

impl SessionHash {
    /// The hash of a session id.
    #[must_use]
    pub fn of(session: &str) -> Self {
        Self(hash_text(session.as_bytes()))
    }
}

/// Hashes bytes to 64 bits, the same on every machine and in every version.
///
/// FNV-1a (Fowler, Noll, Vo) with the finishing steps of MurmurHash3's 64-bit mixer (Appleby), since
/// rendezvous hashing needs all bits to be well spread. It has no seed, because processes that share
/// nothing must agree and because snapshots outlive the process.
#[must_use]
pub fn hash_text(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(hash)
}

/// Spreads every bit of `bits` over all 64.
pub(crate) const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ (bits >> 33)
}
