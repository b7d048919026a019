/**
 * The opcodes of Python's pickles, protocols 0 to 5, by the names that pickletools gives them
 * (https://github.com/python/cpython/blob/main/Lib/pickletools.py). Codes that call or import something are here for their
 * names alone: the reader refuses them.
 */

export const op = {
  MARK: 0x28,
  STOP: 0x2e,
  POP: 0x30,
  POP_MARK: 0x31,
  DUP: 0x32,
  FLOAT: 0x46,
  INT: 0x49,
  BININT: 0x4a,
  BININT1: 0x4b,
  LONG: 0x4c,
  BININT2: 0x4d,
  NONE: 0x4e,
  STRING: 0x53,
  BINSTRING: 0x54,
  SHORT_BINSTRING: 0x55,
  UNICODE: 0x56,
  BINUNICODE: 0x58,
  EMPTY_LIST: 0x5d,
  APPEND: 0x61,
  DICT: 0x64,
  APPENDS: 0x65,
  GET: 0x67,
  BINGET: 0x68,
  LONG_BINGET: 0x6a,
  LIST: 0x6c,
  PUT: 0x70,
  BINPUT: 0x71,
  LONG_BINPUT: 0x72,
  SETITEM: 0x73,
  TUPLE: 0x74,
  EMPTY_TUPLE: 0x29,
  SETITEMS: 0x75,
  BINFLOAT: 0x47,
  EMPTY_DICT: 0x7d,
  PROTO: 0x80,
  TUPLE1: 0x85,
  TUPLE2: 0x86,
  TUPLE3: 0x87,
  NEWTRUE: 0x88,
  NEWFALSE: 0x89,
  LONG1: 0x8a,
  LONG4: 0x8b,
  BINBYTES: 0x42,
  SHORT_BINBYTES: 0x43,
  SHORT_BINUNICODE: 0x8c,
  BINUNICODE8: 0x8d,
  BINBYTES8: 0x8e,
  EMPTY_SET: 0x8f,
  ADDITEMS: 0x90,
  FROZENSET: 0x91,
  STACK_GLOBAL: 0x93,
  MEMOIZE: 0x94,
  FRAME: 0x95,
  BYTEARRAY8: 0x96,
  GLOBAL: 0x63,
  INST: 0x69,
} as const;

/** Opcodes that make objects, call functions, or take data from outside the file. */
const calling: Readonly<Record<number, string>> = {
  0x63: 'GLOBAL',
  0x69: 'INST',
  0x6f: 'OBJ',
  0x50: 'PERSID',
  0x51: 'BINPERSID',
  0x52: 'REDUCE',
  0x62: 'BUILD',
  0x81: 'NEWOBJ',
  0x82: 'EXT1',
  0x83: 'EXT2',
  0x84: 'EXT4',
  0x92: 'NEWOBJ_EX',
  0x93: 'STACK_GLOBAL',
  0x97: 'NEXT_BUFFER',
  0x98: 'READONLY_BUFFER',
};

const plainNames = new Map<number, string>(Object.entries(op).map(([name, code]) => [code, name]));

/** The opcode's name; null for a byte that is none. */
export const opcodeName = (code: number): string | null => calling[code] ?? plainNames.get(code) ?? null;

/** 1 for each opcode that would build something other than a plain value. */
export const callsOut: Readonly<Uint8Array> = Uint8Array.from({ length: 256 }, (_, code) =>
  calling[code] === undefined ? 0 : 1,
);

/** How an opcode's argument is laid out: a fixed number of bytes, lines, or a length of so many bytes before the data. */
export const argument = { line: -1, counted1: -2, counted4: -3, counted8: -4, twoLines: -5 } as const;

/** The layout of each opcode's argument. */
export const argumentOf: Readonly<Int8Array> = layouts();

function layouts(): Int8Array {
  const table = new Int8Array(256);
  const set = (layout: number, ...codes: readonly number[]): void => {
    for (const code of codes) table[code] = layout;
  };
  set(1, op.BININT1, op.BINGET, op.BINPUT, op.PROTO, 0x82);
  set(2, op.BININT2, 0x83);
  set(4, op.BININT, op.LONG_BINGET, op.LONG_BINPUT, 0x84);
  set(8, op.BINFLOAT, op.FRAME);
  set(argument.line, op.FLOAT, op.INT, op.LONG, op.STRING, op.UNICODE, op.GET, op.PUT, 0x50);
  set(argument.twoLines, op.GLOBAL, op.INST);
  set(argument.counted1, op.SHORT_BINSTRING, op.SHORT_BINBYTES, op.SHORT_BINUNICODE, op.LONG1);
  set(argument.counted4, op.BINSTRING, op.BINUNICODE, op.BINBYTES, op.LONG4);
  set(argument.counted8, op.BINUNICODE8, op.BINBYTES8, op.BYTEARRAY8);
  return table;
}
