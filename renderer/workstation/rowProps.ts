import type { ColumnUnits } from './jobCells';

/** What every row of the jobs table is told beside its data. */
export interface RowProps {
  units: ColumnUnits;
  /** The moment shown, seconds since the epoch. */
  time: number;
  /** The names of the MIG devices that processes run in, by pid. */
  slices: ReadonlyMap<number, string>;
  rowKey: string;
  selected: boolean;
  /** This row is the table's one stop in the tab order. */
  reachable: boolean;
  onselect: () => void;
}
