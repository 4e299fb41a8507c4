-- What was answered to requests with an Idempotency-Key. `name` and `digest`: hashes of who asked by which key, and of what.
-- `at`: when it began. `reply`: null where the answer is not to be kept; no answer that holds a secret is.
CREATE TABLE setpoint.replies (
  name text PRIMARY KEY CHECK (name ~ '^[0-9a-f]{64}$'),
  digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  attempt text NOT NULL,
  at bigint NOT NULL,
  done boolean NOT NULL DEFAULT false,
  reply json
);
CREATE INDEX replies_at ON setpoint.replies (at);
