-- Signed checkpoints, of all processes: how far signatures reach is known in every folder. What proves them are the signatures; copies
-- lie in the folder of the signer and with witnesses. `body`: the signed checkpoint as JSON.
CREATE TABLE setpoint.checkpoints (
  estate text NOT NULL REFERENCES setpoint.estates (name),
  number bigint NOT NULL CHECK (number > 0),
  body text NOT NULL,
  PRIMARY KEY (estate, number)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON setpoint.checkpoints
  FOR EACH ROW EXECUTE FUNCTION setpoint.refuse();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON setpoint.checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION setpoint.refuse();

-- The head of each chain in its newest checkpoint. Only a signer writes here, so it keeps no writer of a chain waiting.
CREATE TABLE setpoint.signed_heads (
  estate text NOT NULL REFERENCES setpoint.estates (name),
  chain text NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (estate, chain)
);

-- The fingerprint of the one key that signs; NULL until somebody signs.
ALTER TABLE setpoint.store ADD COLUMN signing_key text;
