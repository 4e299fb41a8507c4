import { reachability } from './reachability.ts';

reachability('aws');
