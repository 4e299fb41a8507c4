-- Everything lies in the schema `setpoint`. Times `at` are milliseconds since the epoch by the clock of the process that
-- wrote them; leases use the database's own time, because they are between processes.

CREATE TABLE setpoint.store (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  made_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO setpoint.store DEFAULT VALUES;

-- The head of each estate's chain. Whoever writes to an estate locks its row first.
CREATE TABLE setpoint.estates (
  name text PRIMARY KEY,
  seq bigint NOT NULL,
  hash text NOT NULL
);

-- `body` is the canonical text that was hashed; `address` repeats what it says, to be found by.
CREATE TABLE setpoint.ledger (
  estate text NOT NULL REFERENCES setpoint.estates (name),
  seq bigint NOT NULL CHECK (seq > 0),
  at bigint NOT NULL,
  type text NOT NULL CHECK (type IN ('intent', 'settlement', 'note')),
  address text,
  body text NOT NULL,
  previous text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (estate, seq)
);
CREATE INDEX ledger_by_address ON setpoint.ledger (estate, address, seq) WHERE address IS NOT NULL;

-- Refused to everybody, the owner of the tables included; the application's role has no such right in the first place.
CREATE FUNCTION setpoint.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON setpoint.ledger
  FOR EACH ROW EXECUTE FUNCTION setpoint.refuse();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON setpoint.ledger
  FOR EACH STATEMENT EXECUTE FUNCTION setpoint.refuse();

-- `id` is '' for what has none yet. `fields`: what an update changes.
CREATE TABLE setpoint.intents (
  intent uuid PRIMARY KEY,
  estate text NOT NULL,
  scope text NOT NULL,
  verb text NOT NULL,
  kind text NOT NULL,
  address text NOT NULL,
  id text NOT NULL,
  attempt integer NOT NULL,
  at bigint NOT NULL,
  generation integer NOT NULL,
  fields text NOT NULL,
  details json NOT NULL,
  open boolean NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX intents_open ON setpoint.intents (estate, scope, address, verb, id) WHERE open;

-- Places in the estate's count of deletes and replaces.
CREATE TABLE setpoint.places (
  intent uuid PRIMARY KEY REFERENCES setpoint.intents (intent),
  estate text NOT NULL,
  counts_as text NOT NULL CHECK (counts_as IN ('delete', 'replace')),
  counts_by text NOT NULL CHECK (counts_by IN ('generation', 'healing')),
  generation integer NOT NULL,
  address text NOT NULL,
  subject text NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX places_of_generation ON setpoint.places (estate, generation) WHERE counts_by = 'generation';
CREATE INDEX places_of_healing ON setpoint.places (estate, at) WHERE counts_by = 'healing';

CREATE TABLE setpoint.claims (
  estate text NOT NULL,
  scope text NOT NULL,
  id text NOT NULL,
  kind text NOT NULL,
  address text NOT NULL,
  last_write_at bigint NOT NULL,
  terms json NOT NULL,
  PRIMARY KEY (estate, scope, id)
);

CREATE TABLE setpoint.applied (
  estate text NOT NULL,
  scope text NOT NULL,
  address text NOT NULL,
  generation integer NOT NULL,
  body json NOT NULL,
  PRIMARY KEY (estate, scope, address)
);

-- Updates that were settled, how often in a row with the same fields.
CREATE TABLE setpoint.unstuck (
  estate text NOT NULL,
  scope text NOT NULL,
  address text NOT NULL,
  generation integer NOT NULL,
  fields text NOT NULL,
  times integer NOT NULL,
  PRIMARY KEY (estate, address, scope)
);

CREATE TABLE setpoint.generations (
  estate text NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  revision text NOT NULL,
  guards json NOT NULL,
  accepted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (estate, number)
);

CREATE TABLE setpoint.leases (
  estate text NOT NULL,
  scope text NOT NULL,
  epoch bigint NOT NULL,
  holder text NOT NULL,
  since timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (estate, scope)
);

-- The newest look at each scope: all of an observation but its resources.
CREATE TABLE setpoint.looks (
  estate text NOT NULL,
  scope text NOT NULL,
  at bigint NOT NULL,
  body json NOT NULL,
  PRIMARY KEY (estate, scope)
);

-- `key` is kind and id. `listed` false: the newest look could not tell whether it is still there.
CREATE TABLE setpoint.resources (
  estate text NOT NULL,
  scope text NOT NULL,
  key text COLLATE "C" NOT NULL,
  digest text NOT NULL,
  listed boolean NOT NULL,
  body json NOT NULL,
  PRIMARY KEY (estate, scope, key)
);

CREATE TABLE setpoint.sightings (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  estate text NOT NULL,
  scope text NOT NULL,
  id text NOT NULL,
  at bigint NOT NULL,
  change text NOT NULL,
  body json NOT NULL
);
CREATE INDEX sightings_by_id ON setpoint.sightings (estate, id, at);
