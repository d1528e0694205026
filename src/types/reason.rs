//! Why a credential was chosen or passed over, as stable codes.

use super::code::coded;

coded! {
    /// Why a credential is passed over, or that it is not. The codes are stable: programs may compare them.
    pub enum Reason {
        /// It would serve now.
        Chosen = "chosen",
        /// It could serve now; another was chosen.
        Available = "available",
        /// A usable credential has a higher priority.
        LowerPriority = "lower_priority",
        /// This request has tried it already.
        AlreadyTried = "already_tried",
        /// Its row does not list the model.
        ModelNotExposed = "model_not_exposed",
        /// It is out until a moment that is known.
        Cooling = "cooling",
        /// It is out for the model that is asked for, until a moment that is known.
        ModelCooling = "model_cooling",
        /// Its quota or balance is used up, until a moment that is known or guessed.
        QuotaExhausted = "quota_exhausted",
        /// Its rest is over, and one attempt is finding out whether it works again.
        ProbePending = "probe_pending",
        /// Its provider fails for everyone and is asked again in a moment.
        ProviderPaused = "provider_paused",
        /// The request continues a response that another credential made.
        BoundElsewhere = "bound_elsewhere",
        /// Its row says `enabled: false`.
        DisabledByHand = "disabled_by_hand",
        /// A verdict proved it dead.
        DisabledByVerdict = "disabled_by_verdict",
        /// Its secret names an environment variable that is not set.
        SecretUnresolved = "secret_unresolved",
        /// Its row breaks a rule; the entry says which field and which rule.
        InvalidCredential = "invalid_credential",
    }
}

coded! {
    /// Why this credential serves this request.
    pub enum ChoiceReason {
        /// The strategy chose it.
        Strategy = "strategy",
        /// The session was on it before, so the provider's prompt cache may be warm.
        Affinity = "affinity",
        /// The session was on another, which cannot serve now, or ranks below one that can.
        Rebound = "rebound",
        /// As `rebound`, for as long as the session's own credential rests: it will go back.
        Lodging = "lodging",
        /// The request continues a response that this credential made.
        Continuation = "continuation",
        /// Nobody can serve, and this one recovers first.
        FailOpen = "fail_open",
        /// It was asked for by name, to find out whether it works.
        Probe = "probe",
    }
}
