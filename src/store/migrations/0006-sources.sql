-- Where specs come from, and who changed clouds from outside. `why` and `reason` are JSON strings: text of any kind fits.

-- The newest word on each source of an estate.
CREATE TABLE setpoint.source_states (
  estate text NOT NULL,
  source text NOT NULL,
  head text,
  state text NOT NULL CHECK (state IN ('followed', 'broken', 'unsigned', 'rewritten', 'pinned', 'away')),
  why json NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (estate, source)
);

CREATE TABLE setpoint.pins (
  estate text PRIMARY KEY,
  revision text NOT NULL,
  person text NOT NULL,
  reason json NOT NULL,
  at bigint NOT NULL
);

-- Heads of rewritten histories that a person took on: written once.
CREATE TABLE setpoint.accepted_histories (
  estate text NOT NULL,
  head text NOT NULL,
  PRIMARY KEY (estate, head)
);

CREATE TABLE setpoint.bells (
  estate text PRIMARY KEY,
  rung bigint NOT NULL
);

-- Deliveries of webhooks and events that were taken: a second one with its id is a replay. `id`: the hash of the sender's id.
CREATE TABLE setpoint.deliveries (
  estate text NOT NULL,
  hook text NOT NULL,
  id text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (estate, hook, id)
);
CREATE INDEX deliveries_by_age ON setpoint.deliveries (at);

-- Who touched each object last. `at`: by the cloud's clock. `request`: the cloud's id of the call. `actor`: who, action, from, agent.
CREATE TABLE setpoint.touches (
  estate text NOT NULL,
  scope text NOT NULL,
  object text NOT NULL,
  event text NOT NULL,
  at bigint NOT NULL,
  request text,
  actor json NOT NULL,
  PRIMARY KEY (estate, scope, object)
);
CREATE INDEX touches_by_age ON setpoint.touches (at);

-- The clouds' ids of our own calls, while events may still tell of them. The ledger has them for ever.
CREATE TABLE setpoint.own_calls (
  estate text NOT NULL,
  request text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (estate, request)
);
CREATE INDEX own_calls_by_age ON setpoint.own_calls (at);
