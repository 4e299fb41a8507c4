-- How much of what limits bound a generation would still do in a scope: kept by each look at the scope, and by whatever takes or
-- returns a place of it. `epoch`: the estate's when the count was begun; a count of an earlier one is none. `until`: when a pause
-- that it heeds ends, ms since the epoch.
CREATE TABLE setpoint.scope_counts (
  estate text NOT NULL,
  scope text NOT NULL,
  generation integer NOT NULL,
  epoch bigint NOT NULL,
  until bigint,
  deletes integer NOT NULL,
  replaces integer NOT NULL,
  creates integer NOT NULL,
  closures integer NOT NULL,
  PRIMARY KEY (estate, scope)
);

-- How often people have let more happen in an estate: it rises in the transaction that ends a pause or records an approval.
CREATE TABLE setpoint.count_epochs (
  estate text PRIMARY KEY,
  epoch bigint NOT NULL
);
CREATE FUNCTION setpoint.raise_count_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO setpoint.count_epochs (estate, epoch) VALUES (NEW.estate, 1)
    ON CONFLICT (estate) DO UPDATE SET epoch = count_epochs.epoch + 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER raises_count_epoch AFTER INSERT OR UPDATE ON setpoint.pauses
  FOR EACH ROW EXECUTE FUNCTION setpoint.raise_count_epoch();
CREATE TRIGGER raises_count_epoch AFTER INSERT ON setpoint.approvals
  FOR EACH ROW EXECUTE FUNCTION setpoint.raise_count_epoch();
