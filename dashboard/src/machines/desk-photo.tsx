import { MachinesIcon } from '../ui/icons.js';

interface DeskPhotoProps {
  address: string | null | undefined;
  size: number;
  /** Cache buster that changes with the photo, because its URL stays the same. */
  stamp: string;
}

export function DeskPhoto({ address, size, stamp }: DeskPhotoProps) {
  return (
    <span className="desk-photo" style={{ width: size, height: size }}>
      {address ? (
        <img src={stamp ? `${address}?${stamp}` : address} alt="" width={size} height={size} />
      ) : (
        <MachinesIcon size={Math.round(size * 0.5)} />
      )}
    </span>
  );
}
