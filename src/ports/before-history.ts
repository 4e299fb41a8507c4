/** The time that was asked of is before what is kept, so that an answer would not be whole. `since`: ms since the epoch. */
export class BeforeHistory extends Error {
  readonly since: number;

  constructor(since: number) {
    super(
      `What the inventory was is kept since ${new Date(since).toISOString()}: ask of a time after it, or keep more from now on with SETPOINT_HISTORY_DAYS.`,
    );
    this.name = 'BeforeHistory';
    this.since = since;
  }
}
