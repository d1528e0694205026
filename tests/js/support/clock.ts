/** A clock that stands still until it is told to move. */
export class FakeClock {
  at = 1_800_000_000_000

  /** To be handed in as `now`. */
  readonly now = (): number => this.at

  /** Moves by so many milliseconds; back, too. */
  pass(ms: number): void {
    this.at += ms
  }
}

export const SECOND = 1_000
export const MINUTE = 60_000
export const DAY = 86_400_000
