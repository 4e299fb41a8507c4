-- Machines that this store launched: while they are young or were never ready, and afterwards those whose birth failed.
-- `attributes`: canonical text, so that births of the same content are found. `before_*`: what was applied at the address until then.
CREATE TABLE setpoint.births (
  estate text NOT NULL,
  scope text NOT NULL,
  id text NOT NULL,
  address text NOT NULL,
  document text NOT NULL,
  attributes json NOT NULL,
  generation integer NOT NULL,
  launched_at bigint NOT NULL,
  ready_since bigint,
  proven boolean NOT NULL DEFAULT false,
  failed json,
  before_generation integer,
  before_body json,
  PRIMARY KEY (estate, scope, id)
);
