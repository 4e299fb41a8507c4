import { reachability } from './reachability.ts';

reachability('gcp');
