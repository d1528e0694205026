//! The plan of one request: what it has tried, and what may come next.
//!
//! **A request goes down through the tiers and never up again.** It holds nothing but what the request
//! itself has met, so it needs no clock and touches no pool: the caller [acquires](crate::Pool::acquire_planned)
//! by it, makes the attempt, and tells it how that ended.
//!
//! ```
//! use keyrota::{Config, Next, Outcome, Phase, Plan, PlanTerms, Policy, Pool, Request, Row, Wall};
//!
//! let mut pool = Pool::new(Config::of(Policy::adaptive()));
//! let openai = pool.provider("openai");
//! let first = Row { priority: 1, ..Row::new("first") };
//! pool.load(openai, pool.generation(openai), vec![first, Row::new("second")], Wall(0));
//!
//! let mut plan = Plan::new(PlanTerms::default());
//! let request = Request::default();
//! let grant = pool.acquire_planned(openai, &request, &plan, Wall(0))?;
//! let place = pool.place(openai, grant.credential, &request);
//! let verdict = pool.report(grant.lease, &Outcome::of_status(429), Wall(0)).expect("it was open");
//! assert_eq!(plan.attempted(place, &verdict, Phase::Response), Next::Another);
//!
//! let grant = pool.acquire_planned(openai, &request, &plan, Wall(0))?;
//! assert_eq!(pool.credential_id(openai, grant.credential), Some("second"));
//! # Ok::<(), keyrota::Refusal>(())
//! ```

use crate::provider::Request;
use crate::types::{Class, CredentialIndex, Phase, ProviderIndex, Scope, Verdict};

/// By default every credential may be tried, but no fewer and no more attempts are made than these.
const LEAST_ATTEMPTS: u32 = 10;
const MOST_ATTEMPTS: u32 = 100;

/// On what terms a request is tried again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PlanTerms {
    /// How many attempts there may be at most, the first among them, whoever makes them and in whichever
    /// tier. 0 counts as 1. By default (`None`) as many as there are [candidates](Plan::count_candidates),
    /// but at least 10 and at most 100.
    pub attempts: Option<u32>,
    /// How often the request may come back to credentials that were not to blame, once it has tried
    /// everyone else. 1 by default; 0 means never.
    pub repeats: u32,
    /// Whether the request may be sent again when it is unknown whether the provider acted on it. Not by
    /// default.
    pub idempotent: bool,
}

impl Default for PlanTerms {
    fn default() -> Self {
        Self { attempts: None, repeats: 1, idempotent: false }
    }
}

/// Where an attempt was made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    /// The provider, or the group.
    pub provider: ProviderIndex,
    /// Who made it.
    pub credential: CredentialIndex,
    /// The credential's own priority.
    pub priority: i32,
    /// The priority of its group; 0 where there are no groups.
    pub group_priority: i32,
    /// Whether nobody else may make it: the request continues a response of this credential.
    pub is_bound: bool,
}

/// What comes after an attempt.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Next {
    /// Another attempt, with whoever the plan lets serve.
    Another,
    /// The caller gets what the attempt brought.
    Stop(Stop),
}

/// Why a request is not tried again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stop {
    /// It is answered, its caller gave up, or anyone else would answer the same.
    Settled,
    /// Sending it again could do something twice, or show the caller two beginnings.
    Unsafe,
    /// Its attempts are used up.
    Spent,
}

impl Stop {
    /// Why the request must not be sent again after an attempt that ended so; `None` when it may be.
    ///
    /// What was never sent may always be sent again. What reached the caller can never be taken back.
    /// Between the two the verdict decides, and where it is unknown what the provider did, only a request
    /// that is `idempotent` goes on. A verdict that says no, as a rule of the caller may, is obeyed.
    #[must_use]
    pub const fn after(verdict: &Verdict, phase: Phase, idempotent: bool) -> Option<Self> {
        match (verdict.class, phase) {
            (Class::Ok | Class::ClientAborted, _) => Some(Self::Settled),
            (_, Phase::AfterContent) => Some(Self::Unsafe),
            _ if !verdict.retry_other => Some(Self::Settled),
            (_, Phase::BeforeSend) => None,
            (Class::UnknownOutcome, _) if !idempotent => Some(Self::Unsafe),
            _ => None,
        }
    }
}

/// The plan of one request.
#[derive(Clone, Debug)]
pub struct Plan {
    terms: PlanTerms,
    /// How many credentials there are to try, as far as is known.
    candidates: u32,
    attempts: u32,
    repeats: u32,
    visited: Vec<Visited>,
    /// The lowest group priority of an attempt that failed.
    group_floor: Option<i32>,
    /// Who alone may serve.
    bound: Option<Known>,
    /// Who was tried, and not to blame.
    blameless: Vec<Known>,
    /// Whose secret was refused, and may be renewed by now.
    refused: Vec<Known>,
}

/// A credential of a provider.
type Known = (ProviderIndex, CredentialIndex);

/// What the request has met in one provider.
#[derive(Clone, Debug)]
struct Visited {
    provider: ProviderIndex,
    /// Who is passed over now.
    tried: Vec<CredentialIndex>,
    /// The lowest priority of an attempt that failed.
    floor: Option<i32>,
}

impl Plan {
    /// The plan of a request that has tried nothing yet.
    #[must_use]
    pub const fn new(terms: PlanTerms) -> Self {
        Self {
            terms,
            candidates: 0,
            attempts: 0,
            repeats: 0,
            visited: Vec::new(),
            group_floor: None,
            bound: None,
            blameless: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Takes in how many credentials there are to try: of the provider, or of all groups that the request
    /// may go to. The default of [`PlanTerms::attempts`] follows the greatest number that it was told.
    pub fn count_candidates(&mut self, candidates: usize) {
        self.candidates = self.candidates.max(u32::try_from(candidates).unwrap_or(u32::MAX));
    }

    /// How many attempts there may be at most.
    #[must_use]
    pub fn most_attempts(&self) -> u32 {
        let usual = self.candidates.clamp(LEAST_ATTEMPTS, MOST_ATTEMPTS);
        self.terms.attempts.unwrap_or(usual).max(1)
    }

    /// How many attempts have ended.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The providers in which an attempt failed.
    pub fn providers(&self) -> impl Iterator<Item = ProviderIndex> + '_ {
        self.visited.iter().map(|visited| visited.provider)
    }

    /// Who of the provider is passed over now: everyone that was tried, but whoever was forgiven.
    #[must_use]
    pub fn tried(&self, provider: ProviderIndex) -> &[CredentialIndex] {
        self.visited(provider).map_or(&[], |visited| &visited.tried)
    }

    /// The lowest own priority at which an attempt failed in the provider: there a lower one comes next,
    /// then this one, and none above. `None` when none has failed there.
    #[must_use]
    pub fn floor(&self, provider: ProviderIndex) -> Option<i32> {
        self.visited(provider)?.floor
    }

    /// The lowest group priority at which an attempt failed: among groups the same holds as among the
    /// credentials of one. `None` when none has failed.
    #[must_use]
    pub const fn group_floor(&self) -> Option<i32> {
        self.group_floor
    }

    /// The only credential that may serve the request from now on, if an attempt was bound to one.
    #[must_use]
    pub const fn bound(&self) -> Option<(ProviderIndex, CredentialIndex)> {
        self.bound
    }

    /// Those whose secret was refused since the plan was last asked to [forgive](Self::forgive): perhaps
    /// they have another one by now.
    #[must_use]
    pub fn refused(&self) -> &[(ProviderIndex, CredentialIndex)] {
        &self.refused
    }

    /// The request as its next attempt in that provider asks it.
    ///
    /// Where the request is bound to a credential of another provider, nobody of this one may serve it: do
    /// not ask.
    #[must_use]
    pub fn request<'a>(&'a self, provider: ProviderIndex, request: &Request<'a>) -> Request<'a> {
        let only = self.bound.filter(|&(bound, _)| bound == provider);
        Request {
            tried: self.tried(provider),
            floor: self.floor(provider),
            only: only.map(|(_, credential)| credential).or(request.only),
            ..*request
        }
    }

    /// Takes in how an attempt ended, and says what comes next.
    ///
    /// Call it once for each attempt. The phase is how far the attempt had come when it ended.
    pub fn attempted(&mut self, place: Place, verdict: &Verdict, phase: Phase) -> Next {
        self.attempts = self.attempts.saturating_add(1);
        if let Some(stop) = Stop::after(verdict, phase, self.terms.idempotent) {
            return Next::Stop(stop);
        }
        let Place { provider, credential, priority, group_priority, is_bound } = place;
        let visited = self.visit(provider);
        visited.tried.push(credential);
        visited.floor = Some(visited.floor.map_or(priority, |floor| floor.min(priority)));
        let group_floor =
            self.group_floor.map_or(group_priority, |floor| floor.min(group_priority));
        self.group_floor = Some(group_floor);
        let known = (provider, credential);
        if is_bound {
            self.bound = Some(known);
        }
        if matches!(verdict.scope, Scope::Provider | Scope::Egress) {
            self.blameless.push(known);
        }
        if verdict.class == Class::AuthFailed {
            self.refused.push(known);
        }
        if self.attempts >= self.most_attempts() {
            return Next::Stop(Stop::Spent);
        }
        Next::Another
    }

    /// Lets those who were not to blame serve once more, when nobody else is left: the provider or the way
    /// to it had failed for everyone, or their secret is among the `renewed`. The floors stay.
    ///
    /// Answers false, and changes nothing of who is passed over, when there are none or when that was done
    /// as often as the terms allow.
    pub fn forgive(&mut self, renewed: &[(ProviderIndex, CredentialIndex)]) -> bool {
        let refused = std::mem::take(&mut self.refused);
        self.blameless.extend(refused.into_iter().filter(|known| renewed.contains(known)));
        if self.blameless.is_empty() || self.repeats >= self.terms.repeats {
            return false;
        }
        self.repeats += 1;
        for (provider, credential) in std::mem::take(&mut self.blameless) {
            self.visit(provider).tried.retain(|&tried| tried != credential);
        }
        true
    }

    fn visited(&self, provider: ProviderIndex) -> Option<&Visited> {
        self.visited.iter().find(|visited| visited.provider == provider)
    }

    fn visit(&mut self, provider: ProviderIndex) -> &mut Visited {
        let known = self.visited.iter().position(|visited| visited.provider == provider);
        let at = known.unwrap_or(self.visited.len());
        if known.is_none() {
            self.visited.push(Visited { provider, tried: Vec::new(), floor: None });
        }
        &mut self.visited[at]
    }
}
