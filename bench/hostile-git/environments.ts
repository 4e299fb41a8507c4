/** Variables that somebody gave this process. */
export const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a configuration of a user': { GIT_CONFIG_GLOBAL: '{outside}/gitconfig' },
  'a configuration of the machine': { GIT_CONFIG_SYSTEM: '{outside}/gitconfig', GIT_CONFIG_NOSYSTEM: '0' },
  'a home with a configuration': { HOME: '{outside}/home', XDG_CONFIG_HOME: '{outside}/home' },
  'a setting': { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '{outside}/hooks' },
  'a setting in the old way': { GIT_CONFIG_PARAMETERS: "'core.hooksPath={outside}/hooks'" },
  'a template with hooks': { GIT_TEMPLATE_DIR: '{outside}' },
  'programs in the place of its own': { GIT_EXEC_PATH: '{outside}/hooks' },
  'another ssh': {
    GIT_SSH: '{outside}/hooks/post-checkout',
    GIT_SSH_COMMAND: 'touch {marker}',
    GIT_PROXY_COMMAND: 'touch {marker}',
  },
  'who answers questions': {
    GIT_ASKPASS: '{outside}/hooks/post-checkout',
    SSH_ASKPASS: '{outside}/hooks/post-checkout',
  },
  'another repository': { GIT_DIR: '{outside}', GIT_OBJECT_DIRECTORY: '{outside}', GIT_COMMON_DIR: '{outside}' },
  'objects from elsewhere': { GIT_ALTERNATE_OBJECT_DIRECTORIES: '{outside}/objects', GIT_NAMESPACE: 'x' },
  'a trace into a file': {
    GIT_TRACE: '{marker}',
    GIT_TRACE2_EVENT: '{marker}',
    GIT_TRACE_CURL: '{marker}',
    GIT_TRACE_PACKET: '{marker}',
  },
  'every protocol': { GIT_ALLOW_PROTOCOL: 'ext:file:https:ssh', GIT_PROTOCOL_FROM_USER: '1' },
  'other refs in the place of these': { GIT_REPLACE_REF_BASE: 'refs/heads/', GIT_GRAFT_FILE: '{outside}/canary.yaml' },
};
