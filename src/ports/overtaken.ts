/** What was not done because another generation came into force since it was decided. */
export class Overtaken extends Error {
  constructor(estate: string, after: number, newest: number) {
    super(`generation ${newest} of ${estate} is in force, and this was to come after ${after}`);
    this.name = 'Overtaken';
  }
}
