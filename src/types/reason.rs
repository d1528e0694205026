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
    }
}
