-- Lifetimes of documents, of the newest generation of an estate. Written in the transaction that accepts a generation. Times are ms since
-- the epoch. `since`, `generation`: the acceptance and the number of the generation that first states this `ttl_ms`. `ended_at`: that of the first one without it.
CREATE TABLE setpoint.lifetimes (
  estate text NOT NULL,
  document text NOT NULL,
  ttl_ms bigint NOT NULL,
  since bigint NOT NULL,
  generation integer NOT NULL,
  ended_at bigint,
  PRIMARY KEY (estate, document)
);
