//! An arena: numbered places that are reused.

/// Items in numbered places that are reused: no allocation once the greatest number has been reached.
#[derive(Debug)]
pub struct Arena<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Arena<T> {
    /// An empty arena.
    #[must_use]
    pub const fn new() -> Self {
        Self { items: Vec::new(), free: Vec::new() }
    }

    /// Puts an item in a free place and returns the place. Panics at 4 billion items at once.
    #[inline]
    pub fn insert(&mut self, item: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.items[place as usize] = item;
            return place;
        }
        self.items.push(item);
        u32::try_from(self.items.len() - 1).expect("fewer than 4 billion items at once")
    }

    /// Releases a place. Its item stays readable until the place is reused.
    #[inline]
    pub fn remove(&mut self, place: u32) {
        self.free.push(place);
    }

    /// The number of places in use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    /// Whether no place is in use.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> std::ops::Index<u32> for Arena<T> {
    type Output = T;
    #[inline]
    fn index(&self, place: u32) -> &T {
        &self.items[place as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.items[place as usize]
    }
}
