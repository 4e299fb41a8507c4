import { type TrialCloud, trialClouds } from '../specs.ts';
import { type Failpoint, failpoints, type Manner, manners, type TrialVerb, verbs } from './sides.ts';

export interface Cell {
  readonly cloud: TrialCloud;
  readonly verb: TrialVerb;
  readonly failpoint: Failpoint;
  readonly manner: Manner;
}

/** All 405. */
export const cells: readonly Cell[] = failpoints.flatMap((failpoint) =>
  verbs.flatMap((verb) =>
    trialClouds.flatMap((cloud) => manners.map((manner): Cell => ({ cloud, verb, failpoint, manner }))),
  ),
);

export const nameOf = ({ cloud, verb, failpoint, manner }: Cell): string => `${cloud} ${verb} ${failpoint} ${manner}`;

/** Where it stands along each side of the matrix. */
export const turnOf = ({ cloud, verb, failpoint, manner }: Cell) => ({
  failpoint: failpoints.indexOf(failpoint),
  verb: verbs.indexOf(verb),
  cloud: trialClouds.indexOf(cloud),
  manner: manners.indexOf(manner),
});
