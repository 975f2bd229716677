import { Type } from 'typebox';
import { Closed, Named, Nullable, Uuid } from '../../../platform/http/declaration/schemas.js';

export const Image = Named('DeskImage', Closed({ env_id: Uuid, image_url: Nullable(Type.String()) }));
