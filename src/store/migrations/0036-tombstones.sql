-- Objects that are to be deleted later. The deletion takes no second place of a limit and no second approval: `intent` has those of
-- the tombstone. `generation`: the newest one that is known not to want the object. Times are ms since the epoch.
CREATE TABLE setpoint.tombstones (
  estate text NOT NULL,
  scope text NOT NULL,
  id text NOT NULL,
  kind text NOT NULL,
  address text NOT NULL,
  generation integer NOT NULL,
  since bigint NOT NULL,
  until bigint NOT NULL,
  by_person boolean NOT NULL,
  intent uuid NOT NULL,
  PRIMARY KEY (estate, scope, id)
);
