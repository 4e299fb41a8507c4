import { reachability } from './reachability.ts';

reachability('azure');
