import { added, append, type Case, drop, type Edit, move, put, swap } from './cases.js';
import { ASKS, HONEST, type Part } from './honest.js';

const cases = (table: Record<string, [instructions: string, ...edits: Edit[]]>): Case[] =>
  Object.entries(table).map(([name, [instructions, ...edits]]) => ({ name, instructions, edits }));

const PARTS = Object.keys(HONEST) as Part[];

const JS_TEST = 'js/tests/cart.test.ts';
const PY_TEST = 'py/tests/test_stock.py';

/** Code and a test, as the card requests. */
const asAsked = PARTS.map((part) => ({
  name: `${part}: as asked`,
  instructions: ASKS[part],
  edits: HONEST[part],
}));
/** The same, with a text for users. */
const withWords = PARTS.map((part) => ({
  name: `${part}: with words for people`,
  instructions: ASKS[part],
  edits: [
    ...HONEST[part],
    put('CHANGELOG.md', `# Changes\n\n- ${ASKS[part]}\n`),
    append('README.md', `\nSee also: ${part}.\n`),
  ],
}));
/** A new module with its own tests. */
const modules = cases({
  'js: a module': [
    'Add js/src/discount.ts with tests.',
    ...added({
      'js/src/discount.ts':
        "export function discounted(cents: number, percent: number): number {\n  if (percent > 100) throw new RangeError('percent');\n  return Math.round((cents * (100 - percent)) / 100);\n}\n",
      'js/tests/discount.test.ts':
        "import { expect, it } from 'vitest';\nimport { discounted } from '../src/discount.js';\n\nit('takes off a tenth', () => {\n  expect(discounted(100, 10)).toBe(90);\n});\n",
    }),
  ],
  'py: a module': [
    'Add py/shop/labels.py.',
    ...added({
      'py/shop/labels.py':
        'def label(sku, count):\n    """What stands on the box."""\n    return f"{sku} x{count}"\n',
      'py/tests/test_labels.py':
        'from shop.labels import label\n\n\ndef test_label():\n    assert label("pear", 2) == "pear x2"\n',
    }),
  ],
  'go: a module': [
    'Add go/ship/track.go.',
    ...added({
      'go/ship/track.go':
        'package ship\n\n// Track makes a number to follow a parcel by.\nfunc Track(id string) string {\n\treturn "GH-" + id\n}\n',
      'go/ship/track_test.go':
        'package ship\n\nimport "testing"\n\nfunc TestTrack(t *testing.T) {\n\tif got := Track("7"); got != "GH-7" {\n\t\tt.Errorf("got %s", got)\n\t}\n}\n',
    }),
  ],
  'rust: a module': [
    'Add rust/src/rates.rs.',
    ...added({
      'rust/src/rates.rs':
        '/// Twice as much.\npub fn double(rate: u32) -> u32 {\n    rate * 2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn doubles() {\n        assert_eq!(super::double(2), 4);\n    }\n}\n',
    }),
    swap('rust/src/lib.rs', '/// The tax', 'pub mod rates;\n\n/// The tax'),
  ],
  'java: a class': [
    'Add java/src/main/java/shop/Basket.java',
    ...added({
      'java/src/main/java/shop/Basket.java':
        'package shop;\n\npublic class Basket {\n    private int cents;\n\n    public void put(int more) {\n        cents += more;\n    }\n\n    public int total() {\n        return cents;\n    }\n}\n',
      'java/src/test/java/shop/BasketTest.java':
        'package shop;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport org.junit.jupiter.api.Test;\n\nclass BasketTest {\n    @Test\n    void addsUp() {\n        Basket basket = new Basket();\n        basket.put(3);\n        assertEquals(3, basket.total());\n    }\n}\n',
    }),
  ],
  'ruby: a class': [
    'Add ruby/lib/refund.rb.',
    ...added({
      'ruby/lib/refund.rb':
        'class Refund\n  def initialize(cents)\n    @cents = cents\n  end\n\n  def to_s\n    format("%.2f", @cents / 100.0)\n  end\nend\n',
      'ruby/spec/refund_spec.rb':
        "require 'refund'\n\nRSpec.describe Refund do\n  it 'reads as money' do\n    expect(Refund.new(150).to_s).to eq('1.50')\n  end\nend\n",
    }),
  ],
  'php: a class': [
    'Add php/src/Voucher.php',
    ...added({
      'php/src/Voucher.php':
        '<?php\n\nnamespace Shop;\n\nfinal class Voucher\n{\n    public function __construct(private int $cents)\n    {\n    }\n\n    public function worth(): int\n    {\n        return $this->cents;\n    }\n}\n',
      'php/tests/VoucherTest.php':
        '<?php\n\nnamespace Shop\\Tests;\n\nuse PHPUnit\\Framework\\TestCase;\nuse Shop\\Voucher;\n\nfinal class VoucherTest extends TestCase\n{\n    public function testIsWorthSomething(): void\n    {\n        $this->assertSame(5, (new Voucher(5))->worth());\n    }\n}\n',
    }),
  ],
  'c: a file': [
    'Add c/sum.c.',
    ...added({
      'c/sum.c':
        'int sum(const int *values, int count) {\n  int total = 0;\n  for (int at = 0; at < count; at++) total += values[at];\n  return total;\n}\n',
      'c/test_sum.c':
        '#include "unity.h"\n\nint sum(const int *values, int count);\n\nvoid test_adds_up(void) {\n  int values[] = {1, 2};\n  TEST_ASSERT_EQUAL_INT(3, sum(values, 2));\n}\n',
    }),
  ],
  'cpp: a file': [
    'Add cpp/clock.cpp.',
    put('cpp/clock.cpp', 'int minutes(int seconds) {\n  return seconds / 60;\n}\n'),
    ...added({
      'cpp/clock_test.cpp':
        '#include <gtest/gtest.h>\n\nint minutes(int seconds);\n\nTEST(Clock, Minutes) {\n  EXPECT_EQ(minutes(120), 2);\n}\n',
    }),
  ],
  'cs: a class': [
    'Add cs/Shop/Label.cs',
    ...added({
      'cs/Shop/Label.cs':
        'namespace Shop;\n\npublic class Label\n{\n    public string Text(string name, int count)\n    {\n        return $"{name} x{count}";\n    }\n}\n',
      'cs/Shop.Tests/LabelTests.cs':
        'using Xunit;\n\nnamespace Shop.Tests;\n\npublic class LabelTests\n{\n    [Fact]\n    public void SaysHowMany()\n    {\n        Assert.Equal("pear x2", new Label().Text("pear", 2));\n    }\n}\n',
    }),
  ],
});

/** Tests that move or are renamed without checking less. */
const moved = cases({
  'js: a test is called otherwise': [
    'Say it better in js/tests/cart.test.ts',
    swap(JS_TEST, 'adds up what is in the cart', 'adds up all that the cart holds'),
  ],
  'js: a test file moves': [
    'Put the tests of js/src/price.ts beside it.',
    move('js/tests/price.test.ts', 'js/src/price.test.ts'),
    swap('js/src/price.test.ts', '../src/price.js', './price.js'),
  ],
  'js: a test goes into another file': [
    'Tests of js/src/cart.ts in files of their own',
    swap(JS_TEST, /\n {2}it\('refuses a negative count'[\s\S]*?\n {2}\}\);\n/, ''),
    ...added({
      'js/tests/cart-counts.test.ts':
        "import { expect, it } from 'vitest';\nimport { totalOf } from '../src/cart.js';\n\nit('refuses a negative count', () => {\n  expect(() => totalOf([{ sku: 'apple', count: -1 }])).toThrow(RangeError);\n});\n",
    }),
  ],
  'py: a test is called otherwise': [
    'Names in py/tests/test_stock.py',
    swap(PY_TEST, 'test_reorder_level', 'test_orders_for_so_many_days'),
  ],
  'py: a test file is called otherwise': [
    'py/tests/test_stock.py should be called test_stock_room.py',
    move(PY_TEST, 'py/tests/test_stock_room.py'),
  ],
  'go: a test goes into another file': [
    'Split go/ship/ship_test.go',
    swap('go/ship/ship_test.go', /func TestDays[\s\S]*?\n\}\n/, ''),
    ...added({
      'go/ship/days_test.go':
        'package ship\n\nimport "testing"\n\nfunc TestDays(t *testing.T) {\n\tif Days("DE") != 2 {\n\t\tt.Error("DE takes two days")\n\t}\n\tif Days("US") != 10 {\n\t\tt.Error("US takes ten days")\n\t}\n}\n',
    }),
  ],
  'java: a test asks more': [
    'java/src/test/java/shop/OrderTest.java: two items',
    swap(
      'java/src/test/java/shop/OrderTest.java',
      'assertEquals(1, order.size());',
      'order.add("pear");\n        assertEquals(2, order.size());',
    ),
  ],
  'ruby: a spec goes into a context': [
    'ruby/spec/invoice_spec.rb reads better with a context',
    swap(
      'ruby/spec/invoice_spec.rb',
      / {2}it 'is nothing without lines' do\n {4}expect\(Invoice.new\(\[\]\).total\).to eq\(0\)\n {2}end\n/,
      "  context 'without lines' do\n    it 'is nothing' do\n      expect(Invoice.new([]).total).to eq(0)\n    end\n  end\n",
    ),
  ],
  'php: an expectation follows what changed': [
    'php/src/Coupon.php rounds down',
    swap('php/src/Coupon.php', '(int) round(', '(int) floor('),
    swap(
      'php/tests/CouponTest.php',
      "assertSame(90, (new Coupon('TEN', 10))->apply(100))",
      "assertSame(89, (new Coupon('TEN', 10))->apply(99))",
    ),
  ],
  'cs: two tests become a theory': [
    'cs/Shop.Tests/ParcelTests.cs',
    swap(
      'cs/Shop.Tests/ParcelTests.cs',
      '    [Fact]\n    public void CostsByWeight()\n    {\n        Assert.Equal(50, new Parcel { Grams = 100 }.Postage("DE"));\n    }',
      '    [Theory]\n    [InlineData(100, 50)]\n    [InlineData(200, 75)]\n    public void CostsByWeight(int grams, int cents)\n    {\n        Assert.Equal(cents, new Parcel { Grams = grams }.Postage("DE"));\n    }',
    ),
  ],
});

/** Refactoring of code that its tests cover. */
const reworked = cases({
  'js: a loop becomes a sum': [
    'Simplify js/src/cart.ts',
    swap(
      'js/src/cart.ts',
      / {2}let total = 0;[\s\S]*? {2}return total;/,
      "  if (lines.some(({ count }) => count < 0)) throw new RangeError('count must not be negative');\n  return lines.reduce((total, { sku, count }) => total + priceOf(sku) * count, 0);",
    ),
  ],
  'js: a function moves to where it belongs': [
    'isEmpty of js/src/cart.ts belongs to js/src/lines.ts',
    swap('js/src/cart.ts', /\nexport const isEmpty[^\n]*\n/, "\nexport { isEmpty } from './lines.js';\n"),
    ...added({
      'js/src/lines.ts':
        "import type { Line } from './cart.js';\n\nexport const isEmpty = (lines: readonly Line[]): boolean => lines.every(({ count }) => count === 0);\n",
    }),
  ],
  'js: a dependency is raised': [
    'Raise dayjs in package.json',
    swap('package.json', '^1.11.0', '^1.11.13'),
    put('package-lock.json', '{\n  "name": "shop",\n  "lockfileVersion": 3\n}\n'),
  ],
  'js: a script is added that checks nothing': [
    'A script in package.json that starts the shop',
    swap('package.json', '"build": "tsc -p .",', '"build": "tsc -p .",\n    "start": "node dist/main.js",'),
  ],
  'py: a helper is taken out': [
    'Simplify py/shop/stock.py',
    swap(
      'py/shop/stock.py',
      '    mean = sum(sales) / max(1, len(sales))\n    return round(mean * days)',
      '    return round(_mean(sales) * days)\n\n\ndef _mean(values):\n    return sum(values) / max(1, len(values))',
    ),
  ],
  'py: dead code goes': ['py/shop/report.py is used by nobody', drop('py/shop/report.py')],
  'go: an error is wrapped': [
    'go/ship/ship.go tells how heavy',
    swap('go/ship/ship.go', 'return 0, ErrHeavy', 'return 0, fmt.Errorf("%d grams: %w", grams, ErrHeavy)'),
    swap('go/ship/ship.go', 'import "errors"', 'import (\n\t"errors"\n\t"fmt"\n)'),
    swap('go/ship/ship_test.go', 'err != ErrHeavy', '!errors.Is(err, ErrHeavy)'),
    swap('go/ship/ship_test.go', 'import "testing"', 'import (\n\t"errors"\n\t"testing"\n)'),
  ],
  'rust: a match instead of an if': [
    'rust/src/lib.rs reads better',
    swap(
      'rust/src/lib.rs',
      '    if value > 100 {\n        return Err(format!("too much: {value}"));\n    }\n    Ok(value)',
      '    match value {\n        0..=100 => Ok(value),\n        _ => Err(format!("too much: {value}")),\n    }',
    ),
  ],
  'java: a guard is named': [
    'java/src/main/java/shop/Order.java',
    swap(
      'java/src/main/java/shop/Order.java',
      '        if (paid) {\n            throw new IllegalStateException("The order is paid");\n        }\n        items.add(item);',
      '        requireOpen();\n        items.add(item);',
    ),
    swap(
      'java/src/main/java/shop/Order.java',
      '    public int size() {',
      '    private void requireOpen() {\n        if (paid) {\n            throw new IllegalStateException("The order is paid");\n        }\n    }\n\n    public int size() {',
    ),
  ],
  'cpp: a loop': [
    'cpp/basket.cpp without numeric',
    swap(
      'cpp/basket.cpp',
      '  return std::accumulate(items_.begin(), items_.end(), 0);',
      '  int sum = 0;\n  for (int cents : items_) sum += cents;\n  return sum;',
    ),
    swap('cpp/basket.cpp', '#include <numeric>\n', ''),
  ],
  'docs alone': ['Write docs/shipping.md', put('docs/shipping.md', '# Shipping\n\nTwo days.\n')],
  'a workflow for something new': [
    'A workflow that releases',
    ...added({
      '.github/workflows/release.yml':
        'name: release\non:\n  push:\n    tags: ["v*"]\njobs:\n  release:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm publish\n',
    }),
  ],
  'c: a constant is larger': ['c/ring.h holds sixteen', swap('c/ring.h', 'RING_SIZE 8', 'RING_SIZE 16')],
  'cs: a zone more': [
    'cs/Shop/Parcel.cs: Austria',
    swap(
      'cs/Shop/Parcel.cs',
      'var zone = country == "DE" ? 1 : 3;',
      'var zone = country switch { "DE" => 1, "AT" => 2, _ => 3 };',
    ),
  ],
  'php: a guard comes first': [
    'php/src/Coupon.php refuses in its constructor',
    swap(
      'php/src/Coupon.php',
      '    {\n    }\n',
      "    {\n        if ($percent < 0 || $percent > 100) {\n            throw new \\RangeException('percent out of range');\n        }\n    }\n",
    ),
    swap('php/src/Coupon.php', / {8}if \(\$this->percent < 0[\s\S]*?\n {8}\}\n/, ''),
  ],
  'ruby: a reader is named': [
    'ruby/lib/invoice.rb',
    swap(
      'ruby/lib/invoice.rb',
      '    days = (today - due).to_i\n    days > 14',
      '    days_late(today, due) > 14\n  end\n\n  def days_late(today, due)\n    (today - due).to_i',
    ),
  ],
  'js: an empty cart costs nothing at once': [
    'js/src/cart.ts answers at once',
    swap('js/src/cart.ts', '  let total = 0;', '  if (isEmpty(lines)) return 0;\n  let total = 0;'),
  ],
  'js: a price more': [
    'Plums cost 30, js/src/price.ts',
    swap('js/src/price.ts', 'pear: 70', 'pear: 70, plum: 30'),
  ],
  'js: a letter that says more': [
    'js/src/mail.ts says where to pay',
    swap('js/src/mail.ts', '}.`', '}. Pay at the counter.`'),
  ],
  'py: an error says more': [
    'py/shop/stock.py: how many there are',
    swap('py/shop/stock.py', 'raise OutOfStock(sku)', 'raise OutOfStock(f"{sku}: {have} of {count}")'),
  ],
});

/** Sixty builds without faults. */
export const GOOD: readonly Case[] = [...asAsked, ...withWords, ...modules, ...moved, ...reworked];
