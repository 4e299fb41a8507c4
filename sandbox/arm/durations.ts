/** How long operations take, in milliseconds of the sandbox's clock. */
export interface Durations {
  readonly networkWrite: number;
  readonly networkDelete: number;
  readonly machineWrite: number;
  readonly machineDelete: number;
  readonly machinePower: number;
  readonly groupDelete: number;
}

export const DURATIONS: Durations = {
  networkWrite: 1_000,
  networkDelete: 1_000,
  machineWrite: 5_000,
  machineDelete: 5_000,
  machinePower: 5_000,
  groupDelete: 5_000,
};

/** Everything is done within the request that asks for it. */
export const AT_ONCE: Durations = {
  networkWrite: 0,
  networkDelete: 0,
  machineWrite: 0,
  machineDelete: 0,
  machinePower: 0,
  groupDelete: 0,
};
