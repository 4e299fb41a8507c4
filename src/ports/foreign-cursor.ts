/** A page was asked for after a place that is no place of that question. */
export class ForeignCursor extends Error {
  constructor() {
    super(
      'the cursor is not of this question: it was given for another filter or order, or is not whole. Begin again without it, or ask as before',
    );
    this.name = 'ForeignCursor';
  }
}
