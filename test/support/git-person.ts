/** The environment of a person who commits by plain git, at one moment, without the machine's configuration. */
export const gitPerson = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@acme.example',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@acme.example',
  GIT_AUTHOR_DATE: '1800000000 +0000',
  GIT_COMMITTER_DATE: '1800000000 +0000',
};
