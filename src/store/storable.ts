/** PostgreSQL's text holds no NUL, and UTF-8 no half of a surrogate pair: what a person reads instead of them. */
const replacement = '\ufffd';

export const storableText = (text: string): string => text.toWellFormed().replaceAll('\u0000', replacement);

/** The same in JSON text, where they stand as escapes; whole pairs never do. */
export const storableJson = (json: string): string =>
  json.includes('\\u') ? json.replace(unstorable, `$1${replacement}`) : json;

const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;
