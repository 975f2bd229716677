import { text } from '../../platform/http/answer/answers.js';
import { publicAccess, type Route, route } from '../../platform/http/declaration/route.js';
import type { SystemService } from './system.service.js';

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const KEPT_FOR_A_DAY = { 'cache-control': 'public, max-age=86400' };

export const securityRoutes = (system: SystemService): Route[] => [
  route({
    name: 'get_security_text',
    method: 'GET',
    path: '/.well-known/security.txt',
    summary: 'Where to report a security fault',
    description: 'As RFC 9116 has it.',
    tags: ['System'],
    access: publicAccess(),
    headers: ['Cache-Control'],
    responses: { 200: { contentType: 'text/plain', description: 'RFC 9116 text' } },
    errors: [],
    handler: () => text(200, system.securityText(), PLAIN_TEXT, KEPT_FOR_A_DAY),
  }),
  route({
    name: 'get_security_policy',
    method: 'GET',
    path: '/security-policy',
    summary: 'How to report a security fault',
    description: 'Where `/.well-known/security.txt` leads.',
    tags: ['System'],
    access: publicAccess(),
    headers: ['Cache-Control'],
    responses: { 200: { contentType: 'text/plain', description: 'A text for people' } },
    errors: [],
    handler: () => text(200, system.securityPolicy(), PLAIN_TEXT, KEPT_FOR_A_DAY),
  }),
];
