/** One measured figure. `ratio`: value over floor, where there is a floor or a peer from the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly floor?: number;
  readonly ratio?: number;
}
