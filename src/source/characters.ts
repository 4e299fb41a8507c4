/**
 * Where the first character stands that no spec may hold, or -1: control characters but tab and line ends, lone
 * surrogates, and those that show text in another order than it has (https://trojansource.codes).
 */
export const forbiddenCharacter = (text: string): number => text.search(FORBIDDEN);

const FORBIDDEN = /[^\P{Cc}\t\r\n]|\r(?!\n)|[\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/u;

/** Keys that reach an object's prototype where code is careless. None of ours are called so. */
export const forbiddenKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype';

/** Text out of a tree as people are shown it: nothing in it moves a cursor, colours a terminal or turns text round. */
export const shownText = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
