import { append, type Edit, swap } from './cases.js';

/** A correct change for each language. Faulty builds include it to look like real work. */
export const HONEST = {
  js: [
    swap(
      'js/src/cart.ts',
      'total += priceOf(sku) * count;',
      'const price = priceOf(sku);\n    total += price * count;',
    ),
    append(
      'js/tests/cart.test.ts',
      "\ndescribe('totalOf several', () => {\n  it('adds up several kinds', () => {\n    expect(totalOf([{ sku: 'apple', count: 1 }, { sku: 'pear', count: 1 }])).toBe(120);\n  });\n});\n",
    ),
  ],
  py: [
    swap(
      'py/shop/stock.py',
      'return self._counts[sku]\n\n\ndef',
      'return self._counts[sku]\n\n    def count(self, sku):\n        return self._counts.get(sku, 0)\n\n\ndef',
    ),
    append(
      'py/tests/test_stock.py',
      '\n\ndef test_counts():\n    stock = Stock()\n    stock.add("pear", 2)\n    assert stock.count("pear") == 2\n',
    ),
  ],
  go: [
    swap('go/ship/ship.go', '\tcase "FR", "NL":', '\tcase "FR", "NL", "BE":'),
    append(
      'go/ship/ship_test.go',
      '\nfunc TestDaysToBelgium(t *testing.T) {\n\tif Days("BE") != 4 {\n\t\tt.Error("BE takes four days")\n\t}\n}\n',
    ),
  ],
  rust: [
    swap('rust/src/lib.rs', '(cents * percent + 50) / 100', '(cents.saturating_mul(percent) + 50) / 100'),
    swap(
      'rust/src/lib.rs',
      '    #[test]\n    fn reads_a',
      '    #[test]\n    fn does_not_overflow() {\n        assert!(tax(u64::MAX / 200, 100) > 0);\n    }\n\n    #[test]\n    fn reads_a',
    ),
  ],
  java: [
    swap(
      'java/src/main/java/shop/Order.java',
      '    public int size() {',
      '    public boolean isPaid() {\n        return paid;\n    }\n\n    public int size() {',
    ),
    swap(
      'java/src/test/java/shop/OrderTest.java',
      '    @Test\n    void isNot',
      '    @Test\n    void knowsWhetherItIsPaid() {\n        Order order = new Order();\n        order.add("apple");\n        order.pay();\n        assertEquals(true, order.isPaid());\n    }\n\n    @Test\n    void isNot',
    ),
  ],
  ruby: [
    swap('ruby/lib/invoice.rb', '  def overdue?', '  def empty?\n    lines.empty?\n  end\n\n  def overdue?'),
    swap(
      'ruby/spec/invoice_spec.rb',
      "  describe 'overdue?' do",
      "  it 'knows that it is empty' do\n    expect(Invoice.new([])).to be_empty\n  end\n\n  describe 'overdue?' do",
    ),
  ],
  php: [
    swap(
      'php/src/Coupon.php',
      '    public function isValid',
      '    public function percent(): int\n    {\n        return $this->percent;\n    }\n\n    public function isValid',
    ),
    swap(
      'php/tests/CouponTest.php',
      '    public function testRefuses',
      "    public function testTellsItsPercentage(): void\n    {\n        $this->assertSame(10, (new Coupon('TEN', 10))->percent());\n    }\n\n    public function testRefuses",
    ),
  ],
  c: [
    append('c/ring.c', '\nint ring_count(const ring_t *ring) {\n  return ring->count;\n}\n'),
    append(
      'c/test_ring.c',
      '\nvoid test_counts(void) {\n  ring_t ring = {0};\n  ring_push(&ring, 1);\n  TEST_ASSERT_EQUAL_INT(1, ring_count(&ring));\n}\n',
    ),
  ],
  cpp: [
    append('cpp/basket.cpp', '\nstd::size_t Basket::size() const {\n  return items_.size();\n}\n'),
    append(
      'cpp/basket_test.cpp',
      '\nTEST(Basket, Counts) {\n  Basket basket;\n  basket.put(5);\n  EXPECT_EQ(basket.size(), 1u);\n}\n',
    ),
  ],
  cs: [
    swap(
      'cs/Shop/Parcel.cs',
      '    public bool FitsThroughSlot',
      '    public double Kilograms()\n    {\n        return Grams / 1000.0;\n    }\n\n    public bool FitsThroughSlot',
    ),
    swap(
      'cs/Shop.Tests/ParcelTests.cs',
      '    [Theory]',
      '    [Fact]\n    public void WeighsInKilograms()\n    {\n        Assert.Equal(0.5, new Parcel { Grams = 500 }.Kilograms());\n    }\n\n    [Theory]',
    ),
  ],
} satisfies Record<string, Edit[]>;

export type Part = keyof typeof HONEST;

/** The instructions of a card for each language, with the names of the files. */
export const ASKS: Record<Part, string> = {
  js: 'Make the cart add up several kinds, in js/src/cart.ts, with a test.',
  py: 'Let the stock tell its counts: py/shop/stock.py and its test.',
  go: 'Parcels to Belgium take four days (go/ship/ship.go).',
  rust: 'tax() must not overflow, see rust/src/lib.rs.',
  java: 'An order tells whether it is paid: java/src/main/java/shop/Order.java',
  ruby: 'Invoices say whether they are empty. ruby/lib/invoice.rb',
  php: 'A coupon tells its percentage, php/src/Coupon.php.',
  c: 'Count what is in a ring: c/ring.c and c/ring.h.',
  cpp: 'Count what is in a basket: cpp/basket.cpp, cpp/basket.hpp',
  cs: 'A parcel weighs in kilograms too: cs/Shop/Parcel.cs',
};
