import type { google } from '@google-cloud/compute/build/protos/protos.js';

/** Compute Engine's messages, by the SDK's own definitions. Types only: the index of the protos is never loaded. */
export type Network = google.cloud.compute.v1.INetwork;
export type Route = google.cloud.compute.v1.IRoute;
export type Router = google.cloud.compute.v1.IRouter;
export type Subnetwork = google.cloud.compute.v1.ISubnetwork;
export type Firewall = google.cloud.compute.v1.IFirewall;
export type EffectivePolicy =
  google.cloud.compute.v1.IRegionNetworkFirewallPoliciesGetEffectiveFirewallsResponseEffectiveFirewallPolicy;
export type Image = google.cloud.compute.v1.IImage;
export type Instance = google.cloud.compute.v1.IInstance;
export type AttachedDisk = google.cloud.compute.v1.IAttachedDisk;
export type Disk = google.cloud.compute.v1.IDisk;
export type Metadata = google.cloud.compute.v1.IMetadata;
export type Operation = google.cloud.compute.v1.IOperation;
export type RegionQuota = google.cloud.compute.v1.IQuota;
export type Project = google.cloud.compute.v1.IProject;
export type Warning = google.cloud.compute.v1.IWarning;
/** The entries of one region or zone in an aggregated listing. */
export type RoutersAt = google.cloud.compute.v1.IRoutersScopedList;
export type SubnetworksAt = google.cloud.compute.v1.ISubnetworksScopedList;
export type InstancesAt = google.cloud.compute.v1.IInstancesScopedList;
export type DisksAt = google.cloud.compute.v1.IDisksScopedList;
