import type { Image } from './records.ts';

const AMAZON = '137112412989';

const CANONICAL = '099720109477';

const tags = new Map<string, string>();

/** The public images that every region of the sandbox knows. An estate may add more. */
export const BASE_IMAGES: readonly Image[] = [
  {
    id: 'ami-0abc0abc0abc0abc0',
    name: 'al2023-ami-2023.5.20240624.0-kernel-6.1-x86_64',
    architecture: 'x86_64',
    rootDevice: '/dev/xvda',
    rootSize: 8,
    ownerId: AMAZON,
    tags,
  },
  {
    id: 'ami-0a64a64a64a64a640',
    name: 'al2023-ami-2023.5.20240624.0-kernel-6.1-arm64',
    architecture: 'arm64',
    rootDevice: '/dev/xvda',
    rootSize: 8,
    ownerId: AMAZON,
    tags,
  },
  {
    id: 'ami-0abcdef1234567890',
    name: 'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20240701',
    architecture: 'x86_64',
    rootDevice: '/dev/sda1',
    rootSize: 8,
    ownerId: CANONICAL,
    tags,
  },
  {
    id: 'ami-12c6146b',
    name: 'ubuntu/images/hvm-ssd/ubuntu-xenial-16.04-amd64-server-20170721',
    architecture: 'x86_64',
    rootDevice: '/dev/sda1',
    rootSize: 8,
    ownerId: CANONICAL,
    tags,
  },
];
