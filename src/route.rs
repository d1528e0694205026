//! Which groups may serve a request: from its access key to the tiers of a [`View`](views::View).
//!
//! A **group** is a provider with a priority, a weight, protocols and models. What an access key grants,
//! what a group speaks and which models it exposes are sets of groups that are made once; a request
//! intersects three of them, one bit a group. Each such set, with the model where that makes a difference,
//! has a view: its groups in tiers, each tier with a strategy of its own in progress.
//!
//! Within a tier a group weighs what its own weight makes of the weights of all its credentials that could
//! serve now, and then one of these is chosen in the same way. So a credential gets the share of the
//! tier that is `group weight x credential weight`, and no choice looks at all of them.

mod groups;
mod names;
mod views;

use crate::affinity::{Affinity, AffinityConfig};
use crate::provider::{Ask, Offer, Provider, Request};
use crate::select::Strategy;
use crate::structures::IndexedHeap;
use crate::types::{
    Address, Inside, Millis, Moment, ProviderIndex, Reason, SessionHash, Wall, Weight, coded,
    hash_text,
};

use groups::GroupSet;
use names::Names;
pub(crate) use views::Standing;
use views::{View, Views};

coded! {
    /// The way in which a client speaks, and a group understands.
    pub enum Protocol {
        /// OpenAI's Chat Completions, and what is compatible with it.
        OpenaiChat = "openai-chat",
        /// OpenAI's Responses.
        OpenaiResponses = "openai-responses",
        /// Anthropic's Messages.
        AnthropicMessages = "anthropic-messages",
        /// Gemini's generateContent.
        Gemini = "gemini",
    }
}

coded! {
    /// Which responses a request may continue.
    pub enum Continuations {
        /// Any: the provider says whether there is such a one.
        Any = "any",
        /// Those that are remembered. A host that hashes the access key with the id keeps them apart by it.
        Own = "own",
    }
}

/// What a client may use. Its value never comes here.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessKey {
    /// Unique among the access keys.
    pub id: Box<str>,
    /// Whether a person has it switched on.
    pub enabled: bool,
    /// From when on it is refused; `None`: never.
    pub expires_at: Option<Wall>,
    /// The protocols that it may speak; `None`: all.
    pub protocols: Option<Vec<Protocol>>,
    /// The groups that it may use; `None`: all.
    pub groups: Option<Vec<ProviderIndex>>,
    /// The models that it may ask for; `None`: all.
    pub models: Option<Vec<Box<str>>>,
}

/// A provider as routes see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The provider.
    pub provider: ProviderIndex,
    /// Whether a person has it switched on.
    pub enabled: bool,
    /// The highest tier that has a usable group serves. Default 0.
    pub priority: i32,
    /// Its share of its tier, before those of its credentials. Default 50.
    pub weight: Weight,
    /// The protocols that it understands.
    pub protocols: Vec<Protocol>,
    /// The models that it exposes, and what its provider calls them; `None`: every model, by its own name.
    pub models: Option<Vec<Exposed>>,
}

/// A model that a group exposes.
#[derive(Clone, Debug, PartialEq)]
pub struct Exposed {
    /// What clients call it.
    pub name: Box<str>,
    /// What the group's provider calls it.
    pub upstream: Box<str>,
}

/// The settings of a router.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteConfig {
    /// Who may ask.
    pub access_keys: Vec<AccessKey>,
    /// Who may serve. Of two of one provider the first counts.
    pub groups: Vec<Group>,
    /// How a group is chosen within its tier; within a group its provider's own strategy chooses.
    pub strategy: Strategy,
    /// How sessions stay on their credentials. Default: 10,000 of them for an hour after their last use.
    /// Responses to be continued are remembered as [`Config::responses`](crate::Config::responses) says.
    pub affinity: AffinityConfig,
    /// Which responses a request may continue. Default any.
    pub continuations: Continuations,
}

impl Default for RouteConfig {
    fn default() -> Self {
        let ttl = Some(Millis::from_secs(3_600));
        Self {
            access_keys: Vec::new(),
            groups: Vec::new(),
            strategy: Strategy::Smooth,
            affinity: AffinityConfig { ttl, ..AffinityConfig::default() },
            continuations: Continuations::Any,
        }
    }
}

/// What a client asks of a router.
#[derive(Clone, Copy, Debug)]
pub struct RouteRequest<'a> {
    /// The place of its access key in [`RouteConfig::access_keys`]; any other place is of none.
    pub access_key: usize,
    /// How it speaks.
    pub protocol: Protocol,
    /// The model, as the client calls it; `None` when the request names none.
    pub model: Option<&'a str>,
    /// The session that the request belongs to.
    pub session: Option<SessionHash>,
    /// The response that it continues, which only the credential that made it can do.
    pub continues: Option<SessionHash>,
    /// The number that all attempts of one request share; 0 when it has but one.
    pub number: u32,
}

/// The groups, who may use them, and where sessions are.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    pub(crate) access_keys: Vec<AccessKey>,
    /// The groups that each access key may use.
    grants: Vec<GroupSet>,
    pub(crate) groups: Vec<Group>,
    /// The group of each provider.
    of_provider: Vec<Option<u32>>,
    /// The groups that are switched on and understand each protocol.
    speaking: Vec<GroupSet>,
    /// The groups that expose each model that a list names.
    by_model: Names<GroupSet>,
    /// The groups that expose every model.
    open: GroupSet,
    /// All groups.
    all: GroupSet,
    views: Views,
    /// Whether a group's own strategy may draw random numbers.
    groups_draw: bool,
    /// When time alone next changes who of a group can serve.
    waking: IndexedHeap<Inside>,
    /// On which credential each session was served with success.
    pub(crate) sessions: Affinity<Address>,
    /// Which credential made which response.
    pub(crate) responses: Affinity<Address>,
    continuations: Continuations,
    /// The candidates of the last request.
    candidates: GroupSet,
    /// The groups for which the model of a request may make a difference.
    minding: GroupSet,
    /// What each group had when it was last looked at.
    offers: Vec<Offer>,
}

/// The candidates of a request: their view, and who they are.
pub(crate) struct Field<'a> {
    pub(crate) view: &'a mut View,
    pub(crate) groups: &'a [Group],
    of_provider: &'a [Option<u32>],
}

impl Field<'_> {
    /// The group of a provider.
    pub(crate) fn group_of(&self, provider: ProviderIndex) -> Option<u32> {
        self.of_provider.get(provider.0 as usize).copied().flatten()
    }
}

/// Sessions and responses of a router are not apart by provider.
pub(crate) const ANY: ProviderIndex = ProviderIndex(0);

impl Routes {
    /// The routes of those settings, which remember so many responses; a group is hashed as its
    /// provider's name is.
    pub(crate) fn new(
        config: RouteConfig,
        responses: AffinityConfig,
        hash_of: impl Fn(ProviderIndex) -> u64,
    ) -> Self {
        let RouteConfig { access_keys, mut groups, strategy, affinity, continuations } = config;
        let (mut of_provider, mut count) = (Vec::<Option<u32>>::new(), 0);
        groups.retain(|group| {
            let at = group.provider.0 as usize;
            of_provider.resize(of_provider.len().max(at + 1), None);
            let is_first = of_provider[at].is_none();
            if is_first {
                of_provider[at] = Some(count);
                count += 1;
            }
            is_first
        });
        let set = |fits: &dyn Fn(&Group) -> bool| {
            let members = groups.iter().enumerate().filter(|(_, group)| fits(group));
            GroupSet::of(groups.len(), members.map(|(number, _)| number))
        };
        let open = set(&|group| group.models.is_none());
        let mut by_model: Names<GroupSet> = Names::new();
        for (number, group) in groups.iter().enumerate() {
            for exposed in group.models.iter().flatten() {
                if let Some(exposing) = by_model.entry(&exposed.name, || open.clone()) {
                    exposing.set(number, true);
                }
            }
        }
        let grant = |key: &AccessKey| set(&|group| key.grants(group));
        Self {
            grants: access_keys.iter().map(grant).collect(),
            of_provider,
            speaking: Protocol::ALL
                .iter()
                .map(|&protocol| set(&|group| group.enabled && group.speaks(protocol)))
                .collect(),
            by_model,
            open,
            all: set(&|_| true),
            views: Views::new(strategy, &groups, hash_of),
            groups_draw: false,
            waking: IndexedHeap::new(),
            sessions: Affinity::new(affinity),
            responses: Affinity::new(responses),
            continuations,
            candidates: GroupSet::default(),
            minding: set(&|_| false),
            offers: vec![Offer::default(); groups.len()],
            access_keys,
            groups,
        }
    }

    /// Takes over where sessions are from the settings before.
    pub(crate) fn resume(&mut self, before: Self) {
        self.sessions.resume(before.sessions);
        self.responses.resume(before.responses);
    }

    /// Forgets the sessions whose time is over.
    pub(crate) fn expire(&mut self, now: Inside) {
        self.sessions.expire(now);
        self.responses.expire(now);
    }

    /// Remembers who made a response.
    pub(crate) fn remember(&mut self, response: SessionHash, made_by: Address, now: Inside) {
        self.responses.bind(ANY, response, made_by, now);
    }

    /// The session of the request is in use, and stays where it is.
    pub(crate) fn stay(&mut self, request: &RouteRequest<'_>, now: Inside) {
        let session = request.session;
        let known = session.and_then(|session| self.sessions.get_with_place(ANY, session, now));
        if let Some((place, _)) = known {
            self.sessions.touch(place, now);
        }
    }

    /// Forgets a credential whose number another one may get.
    pub(crate) fn release(&mut self, gone: Address) {
        self.sessions.release_credential(ANY, gone);
        self.responses.release_credential(ANY, gone);
    }

    /// Whether sessions need not be remembered, since the strategy itself leads them to the same credential.
    pub(crate) fn is_affine(&self) -> bool {
        self.views.strategy().is_affine()
    }

    /// Whether a choice may draw random numbers, among groups or in one of them.
    pub(crate) fn draws(&self) -> bool {
        self.groups_draw || self.views.strategy().draws()
    }

    /// A group may be one whose own strategy that is.
    pub(crate) fn expect_draws(&mut self, strategy: Strategy) {
        self.groups_draw |= strategy.draws();
    }

    /// Takes in what became of a provider that may be one of the groups.
    pub(crate) fn observe(&mut self, provider: ProviderIndex, known: &Provider, now: Inside) {
        let Some(group) = self.of_provider.get(provider.0 as usize).copied().flatten() else {
            return;
        };
        let number = group as usize;
        match known.changes_at(now) {
            Some(until) => self.waking.set(number, until),
            None => self.waking.remove(number),
        }
        let minds = self.minding.contains(number) || known.minds_models;
        self.minding.set(number, known.minds_models);
        let offer = known.offer(&Ask::new(&Request::default(), None, None, now));
        let before = self.offers.get_mut(number).map(|known| std::mem::replace(known, offer));
        let counts = self.views.strategy().counts_leases();
        let same = before.is_some_and(|before| {
            before.weight == offer.weight && (!counts || before.in_flight == offer.in_flight)
        });
        // Where models make a difference, or did until now, all credentials together do not tell.
        if !same || minds {
            self.views.changed(group);
        }
    }

    /// The provider of a group whose time has come.
    pub(crate) fn take_due(&mut self, now: Inside) -> Option<ProviderIndex> {
        let (_, group) = self.waking.first().filter(|&(until, _)| until <= now)?;
        self.waking.remove(group);
        self.groups.get(group).map(|group| group.provider)
    }

    /// The groups that may serve the request, in a view that is up to date with what `standing` says of
    /// each; `None` when there are none.
    pub(crate) fn field(
        &mut self,
        request: &RouteRequest<'_>,
        now: Inside,
        standing: impl Fn(&Group) -> Standing,
    ) -> Option<Field<'_>> {
        self.find_candidates(request);
        let Self { views, groups, of_provider, candidates, minding, .. } = self;
        if candidates.is_empty() {
            return None;
        }
        let model = request.model.filter(|_| candidates.meets(minding));
        let model = model.map_or(0, |model| hash_text(model.as_bytes()));
        let standing = |group: u32| groups.get(group as usize).map(&standing).unwrap_or_default();
        let view = views.of((candidates, model), now, standing)?;
        Some(Field { view, groups, of_provider })
    }

    /// Whether the access key may ask for that at all; the reason when not. A request that `is_bound` by
    /// an earlier attempt was known then.
    pub(crate) fn admit(
        &self,
        request: &RouteRequest<'_>,
        is_bound: bool,
        now: Moment,
    ) -> Result<(), Reason> {
        let key = self.access_keys.get(request.access_key).ok_or(Reason::AccessKeyUnknown)?;
        let lists = |models: &Vec<Box<str>>, model: &str| models.iter().any(|one| **one == *model);
        if !key.enabled {
            Err(Reason::AccessKeyDisabled)
        } else if key.expires_at.is_some_and(|end| end <= now.wall) {
            Err(Reason::AccessKeyExpired)
        } else if key.protocols.as_ref().is_some_and(|list| !list.contains(&request.protocol)) {
            Err(Reason::ProtocolNotAllowed)
        } else if let (Some(models), Some(model)) = (&key.models, request.model)
            && !lists(models, model)
        {
            Err(Reason::ModelNotAllowed)
        } else if let (Continuations::Own, Some(response)) = (self.continuations, request.continues)
            && !is_bound
            && self.responses.get(ANY, response, now.inside).is_none()
        {
            Err(Reason::ContinuationUnknown)
        } else {
            Ok(())
        }
    }

    /// The groups that may serve the request, whoever of them can.
    fn find_candidates(&mut self, request: &RouteRequest<'_>) {
        let none = GroupSet::default();
        let granted = self.grants.get(request.access_key).unwrap_or(&none);
        let speaking = self.speaking.get(request.protocol as usize).unwrap_or(&none);
        let exposing = match request.model {
            Some(model) => self.by_model.get(model).unwrap_or(&self.open),
            None => &self.all,
        };
        self.candidates.intersect([granted, speaking, exposing]);
    }

    /// Why a group may not serve the request, whoever of it can.
    pub(crate) fn excluded(&self, group: &Group, request: &RouteRequest<'_>) -> Option<Reason> {
        let key = self.access_keys.get(request.access_key);
        if !key.is_some_and(|key| key.grants(group)) {
            Some(Reason::GroupNotAllowed)
        } else if !group.enabled {
            Some(Reason::GroupDisabled)
        } else if !group.exposes(request.model) {
            Some(Reason::ModelNotExposed)
        } else if !group.speaks(request.protocol) {
            Some(Reason::ConversionRequired)
        } else {
            None
        }
    }

    /// Why no group may serve the request: the reason of the one that comes closest.
    pub(crate) fn why_none(&self, request: &RouteRequest<'_>) -> Reason {
        let reasons = self.groups.iter().filter_map(|group| self.excluded(group, request));
        reasons.max().unwrap_or(Reason::GroupNotAllowed)
    }
}

impl AccessKey {
    fn grants(&self, group: &Group) -> bool {
        self.groups.as_ref().is_none_or(|list| list.contains(&group.provider))
    }
}

impl Group {
    fn speaks(&self, protocol: Protocol) -> bool {
        self.protocols.contains(&protocol)
    }

    fn exposes(&self, model: Option<&str>) -> bool {
        model.is_none_or(|model| self.upstream(model).is_some())
    }

    /// What the group's provider calls a model; `None` when the group does not expose it.
    pub(crate) fn upstream<'a>(&'a self, model: &'a str) -> Option<&'a str> {
        let Some(models) = &self.models else { return Some(model) };
        models.iter().find(|exposed| *exposed.name == *model).map(|exposed| &*exposed.upstream)
    }
}
