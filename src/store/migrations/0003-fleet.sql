-- What workers tell each other, and people tell them. `reason` and `why` are JSON strings: text of any kind fits.

-- Spec trees by revision: written once.
CREATE TABLE setpoint.trees (
  estate text NOT NULL,
  revision text NOT NULL,
  tree json NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (estate, revision)
);

-- `wish` counts how often a pass was asked for; those up to `answered` have had theirs.
CREATE TABLE setpoint.requests (
  estate text NOT NULL,
  scope text NOT NULL,
  wish bigint NOT NULL,
  answered bigint NOT NULL DEFAULT 0,
  reason json NOT NULL,
  PRIMARY KEY (estate, scope)
);

-- `until`: ms since the epoch, compared with the database's clock. `subject` is '' where the estate is paused.
CREATE TABLE setpoint.pauses (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  estate text NOT NULL,
  what text NOT NULL CHECK (what IN ('healing', 'rollout', 'all')),
  held_by text NOT NULL CHECK (held_by IN ('estate', 'address', 'owner', 'target')),
  subject text NOT NULL,
  reason json NOT NULL,
  person text NOT NULL,
  at bigint NOT NULL,
  until bigint NOT NULL,
  ended boolean NOT NULL DEFAULT false
);
CREATE INDEX pauses_not_ended ON setpoint.pauses (estate, id) WHERE NOT ended;

-- `seq`: of its note in the ledger. `body`: what was shown, and who approved it.
CREATE TABLE setpoint.approvals (
  estate text NOT NULL,
  seq bigint NOT NULL,
  scope text NOT NULL,
  generation integer NOT NULL,
  until bigint NOT NULL,
  body json NOT NULL,
  PRIMARY KEY (estate, seq)
);
CREATE INDEX approvals_of_generation ON setpoint.approvals (estate, scope, generation);

-- The newest generation that came wholly into force in a scope.
CREATE TABLE setpoint.standing (
  estate text NOT NULL,
  scope text NOT NULL,
  generation integer NOT NULL,
  PRIMARY KEY (estate, scope)
);

-- Progressive rollouts that wait for a person.
CREATE TABLE setpoint.stopped_rollouts (
  estate text NOT NULL,
  scope text NOT NULL,
  document text NOT NULL,
  generation integer NOT NULL,
  why json NOT NULL,
  PRIMARY KEY (estate, scope, document)
);

CREATE TABLE setpoint.quarantine (
  estate text NOT NULL,
  scope text NOT NULL,
  generation integer NOT NULL,
  why json NOT NULL,
  since timestamptz NOT NULL,
  PRIMARY KEY (estate, scope)
);
