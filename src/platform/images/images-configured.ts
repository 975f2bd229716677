import { type ImageStore, ImageStoreUnreachable } from './images.js';
import { diskImages } from './images-disk.js';
import { s3Images } from './images-s3.js';

export type ImageStoreSettings =
  | { kind: 'disk'; folder: string }
  | { kind: 's3'; url: string }
  | { kind: 'none' };

export function createImageStore(settings: ImageStoreSettings): ImageStore {
  switch (settings.kind) {
    case 'disk':
      return diskImages(settings.folder);
    case 's3':
      return s3Images(settings.url);
    case 'none':
      return noImages();
  }
}

function noImages(): ImageStore {
  const refuse = async (): Promise<never> => {
    throw new ImageStoreUnreachable('none is configured');
  };
  const find = async () => undefined;
  return { configured: false, put: refuse, putFile: refuse, get: find, open: find, delete: async () => {} };
}
