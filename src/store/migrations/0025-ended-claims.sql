-- Claims that were let go, and are known if the cloud shows their objects again: as `deleted` by us, or as `gone` behind our back.
-- `ended_at`: ms since the epoch.
ALTER TABLE setpoint.claims
  ADD COLUMN ended_at bigint,
  ADD COLUMN ended_as text CHECK (ended_as IN ('deleted', 'gone')),
  ADD CHECK ((ended_at IS NULL) = (ended_as IS NULL));
CREATE INDEX claims_ended ON setpoint.claims (estate, scope) WHERE ended_at IS NOT NULL;

-- What is only known because it was deleted never came to stand; what is claimed after it was deleted did.
CREATE OR REPLACE FUNCTION setpoint.count_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO setpoint.incarnations AS known (estate, scope, address, number)
    SELECT estate, scope, address, count(*) FROM fresh WHERE ended_at IS NULL
    GROUP BY estate, scope, address ORDER BY address
    ON CONFLICT (estate, scope, address) DO UPDATE SET number = known.number + excluded.number;
  RETURN NULL;
END
$$;
DROP TRIGGER counts_moved_claims ON setpoint.claims;
CREATE TRIGGER counts_moved_claims AFTER UPDATE ON setpoint.claims
  FOR EACH ROW WHEN (
    OLD.address <> NEW.address OR (OLD.ended_as IS NOT DISTINCT FROM 'deleted' AND NEW.ended_as IS NULL)
  ) EXECUTE FUNCTION setpoint.count_moved_claim();
