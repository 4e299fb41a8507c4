/** Colours text, or does not: the CLI decides, by terminal and NO_COLOR. */
export type Paint = (style: Style, text: string) => string;
export type Style = 'add' | 'change' | 'remove' | 'note' | 'strong' | 'dim';

export const plain: Paint = (_style, text) => text;
