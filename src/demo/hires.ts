import type { HireService } from '../features/hires/hires.service.js';
import type { OperatorService } from '../features/operator/operator.service.js';
import type { OperatorCaller } from '../kernel/access.js';

const OPERATOR: OperatorCaller = { kind: 'operator' };
const GIFT = 'Part of the demo world';

const SHOP = { url: 'https://git.example.com/acme/shop.git', branch: 'main' };

const EMPLOYEES = {
  mira: {
    name: 'Mira Vestergaard',
    price_usd: 49,
    description: 'Answers customers by mail, day and night, and knows when to hand over to a person.',
    template: {
      runtime: 'claude_code',
      instructions: 'Answer customers kindly and briefly. Hand over what concerns money or law.',
      packages: ['mail', 'knowledge-base', 'calendar'],
    },
  },
  ilse: {
    name: 'Ilse Brandt',
    price_usd: 180,
    description:
      'Builds the back end: takes a card, writes the code and its tests, and opens a pull request.',
    builder: true,
    repository: SHOP,
    template: {
      runtime: 'claude_code',
      instructions: 'Take one card at a time. No change without a test.',
      packages: ['boards', 'code-search', 'knowledge-base'],
    },
  },
  pavel: {
    name: 'Pavel Horák',
    price_usd: 160,
    description: 'Builds the front end, from the first sketch to the last pixel.',
    builder: true,
    repository: SHOP,
    template: {
      runtime: 'codex',
      instructions: 'Every page works with the keyboard alone.',
      packages: ['boards', 'screenshots'],
    },
  },
  oren: {
    name: 'Oren Tal',
    description: 'Reads what others have no time to read, and reports what matters in one page.',
    template: {
      runtime: 'claude_code',
      instructions: 'Name every source. Say what you could not find out.',
      packages: ['web-research', 'knowledge-base'],
    },
  },
  tamsin: {
    name: 'Tamsin Okonkwo',
    price_usd: 35,
    description: 'Keeps the handbook true: finds what changed and rewrites what no longer holds.',
    template: {
      runtime: 'claude_code',
      instructions: 'Short sentences. One page, one question.',
      packages: ['knowledge-base', 'screenshots'],
    },
  },
  juno: {
    name: 'Juno Silva',
    description: 'Plans releases and writes the notes for them. Joins soon.',
    template: null,
  },
};

type Employee = keyof typeof EMPLOYEES;

/**
 * Creates a catalog of six employees and hires in every state: active, waiting for a desk, canceled at period
 * end, and ended.
 */
export async function seedHires(
  { operator, hires }: { operator: OperatorService; hires: HireService },
  brands: { large: number; small: number },
): Promise<void> {
  const profiles = new Map<Employee, string>();
  for (const [key, employee] of Object.entries(EMPLOYEES)) {
    profiles.set(key as Employee, (await operator.createProfile(employee)).profile_id);
  }
  const hire = async (brandId: number, employee: Employee): Promise<string> => {
    const grant = { brand_id: brandId, comp_reason: GIFT };
    const { hire_id } = await hires.hire(OPERATOR, profiles.get(employee)!, grant);
    await hires.build(hire_id, true);
    return hire_id;
  };

  async function furnishLarge(): Promise<void> {
    await hire(brands.large, 'mira');
    await hire(brands.large, 'ilse');
    await hires.cancel(OPERATOR, await hire(brands.large, 'oren'));
    await hires.cancelNow(OPERATOR, await hire(brands.large, 'tamsin'));
  }
  async function furnishSmall(): Promise<void> {
    await hire(brands.small, 'ilse');
    // The small plan allows one desk, which is taken, so this hire waits and shows the reason.
    await hire(brands.small, 'pavel');
  }
  await Promise.all([furnishLarge(), furnishSmall()]);
}
