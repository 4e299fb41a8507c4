/** How long things take, in milliseconds of the sandbox's clock. */
export interface Durations {
  readonly start: number;
  readonly stop: number;
  readonly terminate: number;
  /** From running until the first status checks have an answer; a minute, says
   * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-system-instance-status-check.html */
  readonly check: number;
  readonly modifyVolume: number;
  /** How long a terminated instance stays listed; about an hour, says
   * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/terminating-instances.html */
  readonly terminatedListed: number;
}

export const DURATIONS: Durations = {
  start: 5_000,
  stop: 5_000,
  terminate: 5_000,
  check: 5_000,
  modifyVolume: 5_000,
  terminatedListed: 3_600_000,
};
